// What has been said in one chat, and what happens in it now? The reducer of a chat channel.

import * as status from "./status.js";
import { isBlocked, skippedCall, startedCall, toolCallReducers } from "./tool_call.js";

const reducers = {
  "chat/turnStarted": turnStarted,
  "chat/delta": (state, action) => grown(state, action, "markdown"),
  "chat/reasoning": (state, action) => grown(state, action, "reasoning"),
  "chat/responsePart": (state, action) => withPart(state, action, action.part),
  "chat/toolCallStart": (state, action) => withPart(state, action, { kind: "toolCall", toolCall: startedCall(action) }),
  "chat/turnComplete": (state, action, now) => turnEnded(state, action, ["complete", status.IDLE], now),
  "chat/turnCancelled": (state, action, now) => turnEnded(state, action, ["cancelled", status.IDLE], now),
  "chat/error": (state, action, now) => turnEnded(state, action, ["error", status.ERROR], now),
  "chat/usage": (state, action) => inTurn(state, action, (turn) => ({ ...turn, usage: action.usage })),
  "chat/activityChanged": (state, action) => ({ ...state, activity: action.activity }),
  "chat/draftChanged": (state, action) => ({ ...state, draft: action.draft }),
  "chat/pendingMessageSet": pendingMessageSet,
  "chat/pendingMessageRemoved": (state, action) => withoutPending(state, action.id, action.kind),
  "chat/queuedMessagesReordered": reordered,
  "chat/inputRequested": inputRequested,
  "chat/inputAnswerChanged": inputAnswerChanged,
  "chat/inputCompleted": inputCompleted,
  "chat/truncated": truncated,
  "chat/turnsLoaded": turnsLoaded,
  ...Object.fromEntries(Object.keys(toolCallReducers).map((type) => [type, toolCallChanged])),
};

export const CHAT_ACTIONS = Object.keys(reducers);

/** `now` is in milliseconds since the epoch. An action that does not fit returns the very same state. */
export function reduceChat(state, action, now) {
  const reduce = reducers[action.type];
  return reduce ? reduce(state, action, now) : state;
}

export function isOpenRequest(part) {
  return part.kind === "inputRequest" && part.response === undefined;
}

function touched(state, now) {
  return { ...state, modifiedAt: new Date(now).toISOString() };
}

function inTurn(state, action, change) {
  const turn = state.activeTurn;
  return turn && turn.id === action.turnId ? { ...state, activeTurn: change(turn) } : state;
}

function withPart(state, action, part) {
  return settled(inTurn(state, action, (turn) => ({ ...turn, responseParts: [...turn.responseParts, part] })));
}

function changedPart(state, matches, change) {
  const parts = state.activeTurn?.responseParts ?? [];
  const index = parts.findIndex(matches);
  if (index < 0) return state;
  const part = change(parts[index]);
  if (part === parts[index]) return state;
  return { ...state, activeTurn: { ...state.activeTurn, responseParts: parts.with(index, part) } };
}

/** The status that follows from what the running turn waits for. */
function settled(state) {
  if (!state.activeTurn) return state;
  const waits = state.activeTurn.responseParts.some(
    (part) => isOpenRequest(part) || (part.kind === "toolCall" && isBlocked(part.toolCall)),
  );
  const next = status.withActivity(state.status, waits ? status.INPUT_NEEDED : status.IN_PROGRESS);
  return next === state.status ? state : { ...state, status: next };
}

function turnStarted(state, action, now) {
  const { turnId: id, startedAt, message } = action;
  const rest = action.queuedMessageId ? withoutPending(state, action.queuedMessageId) : state;
  const running = status.withFlag(status.withActivity(state.status, status.IN_PROGRESS), status.READ, false);
  return touched({ ...rest, activeTurn: { id, startedAt, message, responseParts: [] }, status: running }, now);
}

function grown(state, action, kind) {
  if (state.activeTurn?.id !== action.turnId) return state;
  return changedPart(
    state,
    (part) => part.id === action.partId,
    (part) => (part.kind === kind ? { ...part, content: part.content + action.content } : part),
  );
}

function toolCallChanged(state, action) {
  if (state.activeTurn?.id !== action.turnId) return state;
  const changed = changedPart(
    state,
    (part) => part.toolCall?.toolCallId === action.toolCallId,
    (part) => {
      const toolCall = toolCallReducers[action.type](part.toolCall, action);
      return toolCall === part.toolCall ? part : { ...part, toolCall };
    },
  );
  return changed === state ? state : settled(changed);
}

function turnEnded(state, action, [how, activity], now) {
  const turn = state.activeTurn;
  if (!turn || turn.id !== action.turnId) return state;
  const responseParts = turn.responseParts.map((part) => {
    const toolCall = part.toolCall && skippedCall(part.toolCall);
    return toolCall === part.toolCall ? part : { ...part, toolCall };
  });
  const ended = { ...turn, responseParts, state: how, duration: Math.max(0, action.duration) };
  if (action.error) ended.error = action.error;
  const { activeTurn, ...rest } = state;
  return touched({ ...rest, turns: [...state.turns, ended], status: status.withActivity(state.status, activity) }, now);
}

function pendingMessageSet(state, action) {
  const message = { id: action.id, message: action.message };
  if (action.kind === "steering") return { ...state, steeringMessage: message };
  const queue = state.queuedMessages ?? [];
  const known = queue.some((other) => other.id === action.id);
  const queuedMessages = known ? queue.map((other) => (other.id === action.id ? message : other)) : [...queue, message];
  return { ...state, queuedMessages };
}

function withoutPending(state, id, kind) {
  let next = state;
  if (kind !== "queued" && next.steeringMessage?.id === id) {
    const { steeringMessage, ...rest } = next;
    next = rest;
  }
  if (kind === "steering" || !next.queuedMessages?.some((message) => message.id === id)) return next;
  const { queuedMessages, ...rest } = next;
  const left = queuedMessages.filter((message) => message.id !== id);
  return left.length ? { ...rest, queuedMessages: left } : rest;
}

function reordered(state, action) {
  if (!state.queuedMessages) return state;
  const byId = new Map(state.queuedMessages.map((message) => [message.id, message]));
  const named = [...new Set(action.order)].filter((id) => byId.has(id));
  const unnamed = state.queuedMessages.filter((message) => !named.includes(message.id));
  return { ...state, queuedMessages: [...named.map((id) => byId.get(id)), ...unnamed] };
}

function inputRequested(state, action, now) {
  if (!state.activeTurn) return state;
  const { request } = action;
  const same = (part) => isOpenRequest(part) && part.request.id === request.id;
  if (!state.activeTurn.responseParts.some(same)) {
    return touched(withPart(state, { turnId: state.activeTurn.id }, { kind: "inputRequest", request }), now);
  }
  const kept = (part) => ({ ...part, request: { ...request, ...answersOf(request.answers ?? part.request.answers) } });
  return touched(settled(changedPart(state, same, kept)), now);
}

function answersOf(answers) {
  return answers && Object.keys(answers).length ? { answers } : {};
}

function inputAnswerChanged(state, action, now) {
  const changed = changedRequest(state, action.requestId, (part) => {
    const { answers, ...request } = part.request;
    const { [action.questionId]: _, ...others } = answers ?? {};
    const next = action.answer ? { ...answers, [action.questionId]: action.answer } : others;
    return { ...part, request: { ...request, ...answersOf(next) } };
  });
  return changed === state ? state : touched(changed, now);
}

function inputCompleted(state, action, now) {
  const changed = changedRequest(state, action.requestId, (part) => ({
    ...part,
    request: { ...part.request, ...answersOf({ ...part.request.answers, ...action.answers }) },
    response: action.response,
  }));
  return changed === state ? state : touched(settled(changed), now);
}

function changedRequest(state, id, change) {
  return changedPart(state, (part) => isOpenRequest(part) && part.request.id === id, change);
}

function truncated(state, action, now) {
  const last = action.turnId === undefined ? -1 : state.turns.findIndex((turn) => turn.id === action.turnId);
  if (action.turnId !== undefined && last < 0) return state;
  const { activeTurn, ...rest } = state;
  const kept = { ...rest, turns: state.turns.slice(0, last + 1), status: status.withActivity(state.status, status.IDLE) };
  if (!kept.turns.length) delete kept.turnsNextCursor;
  return touched(kept, now);
}

function turnsLoaded(state, action) {
  const known = new Set(state.turns.map((turn) => turn.id));
  const { turnsNextCursor, ...rest } = state;
  const turns = [...action.turns.filter((turn) => !known.has(turn.id)), ...state.turns];
  return { ...rest, turns, ...(action.turnsNextCursor ? { turnsNextCursor: action.turnsNextCursor } : {}) };
}
