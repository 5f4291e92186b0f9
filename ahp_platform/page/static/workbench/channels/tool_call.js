// How does one tool call of a running turn go on? The part of the chat reducer that follows a call through its states.

const BASE = ["toolCallId", "toolName", "displayName", "intention", "contributor", "_meta"];
const CONFIRMED = ["confirmed", "selectedOption"];
const RESULT = ["success", "pastTenseMessage", "content", "structuredContent", "error"];
const FINISHED = new Set(["completed", "cancelled"]);

/** Type of action -> (call, action) -> the call afterwards, the same object where the action does not fit. */
export const toolCallReducers = {
  "chat/toolCallDelta": delta,
  "chat/toolCallReady": ready,
  "chat/toolCallConfirmed": confirmed,
  "chat/toolCallComplete": complete,
  "chat/toolCallResultConfirmed": resultConfirmed,
  "chat/toolCallContentChanged": contentChanged,
  "chat/toolCallAuthRequired": authRequired,
  "chat/toolCallAuthResolved": authResolved,
};

export function startedCall(action) {
  return { ...pick(action, BASE), status: "streaming", partialInput: "" };
}

/** What becomes of a call whose turn ends under it. */
export function skippedCall(call) {
  if (FINISHED.has(call.status)) return call;
  return cancelled(call, { reason: "skipped" });
}

export function isBlocked(call) {
  return ["pending-confirmation", "pending-result-confirmation", "auth-required"].includes(call.status);
}

function pick(source, keys) {
  return Object.fromEntries(keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]));
}

function base(call, action) {
  return { ...pick(call, BASE), ...pick(action, ["_meta"]) };
}

function delta(call, action) {
  if (call.status !== "streaming") return call;
  const partialInput = (call.partialInput ?? "") + action.content;
  return { ...call, ...pick(action, ["_meta", "invocationMessage"]), partialInput };
}

function ready(call, action) {
  if (!["streaming", "running", "pending-confirmation"].includes(call.status)) return call;
  const told = { ...base(call, action), ...pick({ ...call, ...action }, ["invocationMessage", "toolInput"]) };
  if (action.confirmed) return { ...told, status: "running", confirmed: action.confirmed };
  const asked = ["confirmationTitle", "riskAssessment", "edits", "editable", "options"];
  return { ...told, status: "pending-confirmation", ...pick({ ...call, ...action }, asked) };
}

function confirmed(call, action) {
  if (call.status !== "pending-confirmation") return call;
  const option = call.options?.find((known) => known.id === action.selectedOptionId);
  const selected = option ? { selectedOption: option } : {};
  if (!action.approved) {
    const said = pick(action, ["reason", "reasonMessage", "userSuggestion", "_meta"]);
    return cancelled(call, { ...said, ...selected });
  }
  const told = { ...base(call, action), ...pick(call, ["invocationMessage", "toolInput"]) };
  if (action.editedToolInput !== undefined) told.toolInput = action.editedToolInput;
  return { ...told, status: "running", confirmed: action.confirmed, ...selected };
}

function complete(call, action) {
  const { result } = action;
  if (call.status === "auth-required") {
    // Only a failure leaves the challenge; what the call had shown before it stays.
    return result.success ? call : { ...finished(call, action), ...pick(call, ["content"]), ...pick(result, RESULT) };
  }
  if (!["running", "pending-confirmation"].includes(call.status)) return call;
  const done = { ...finished(call, action), ...pick(result, RESULT) };
  return action.requiresResultConfirmation ? { ...done, status: "pending-result-confirmation" } : done;
}

function finished(call, action) {
  const told = { ...base(call, action), ...pick(call, ["invocationMessage", "toolInput"]) };
  return { ...told, status: "completed", confirmed: "not-needed", ...pick(call, CONFIRMED) };
}

function resultConfirmed(call, action) {
  if (call.status !== "pending-result-confirmation") return call;
  if (action.approved) return { ...finished(call, action), ...pick(call, RESULT) };
  return cancelled(call, { reason: "result-denied", ...pick(action, ["_meta"]), ...pick(call, ["selectedOption"]) });
}

function contentChanged(call, action) {
  return call.status === "running" ? { ...call, ...pick(action, ["content", "_meta"]) } : call;
}

function authRequired(call, action) {
  if (call.status !== "running" || call.contributor?.kind !== "mcp") return call;
  return { ...call, ...pick(action, ["auth", "_meta"]), status: "auth-required" };
}

function authResolved(call, action) {
  if (call.status !== "auth-required") return call;
  const { auth, ...rest } = call;
  return { ...rest, ...pick(action, ["_meta"]), status: "running" };
}

function cancelled(call, more) {
  const told = { invocationMessage: "", ...pick(call, ["invocationMessage", "toolInput"]) };
  return { ...pick(call, BASE), ...told, status: "cancelled", ...more };
}
