// What does a terminal show, who holds it, and which commands ran in it? The reducer of a terminal channel.

// As much as the host keeps; more of it is only on the screen.
const MAX_TEXT = 256 * 1024;
const KEPT_TEXT = 192 * 1024;
const MAX_PARTS = 1000;
const KEPT_PARTS = 800;

const reducers = {
  "terminal/data": grown,
  "terminal/resized": (state, action) => ({ ...state, cols: action.cols, rows: action.rows }),
  "terminal/claimed": (state, action) => ({ ...state, claim: action.claim }),
  "terminal/titleChanged": (state, action) => ({ ...state, title: action.title }),
  "terminal/cwdChanged": (state, action) => ({ ...state, cwd: action.cwd }),
  "terminal/exited": exited,
  "terminal/cleared": (state) => ({ ...state, content: [] }),
  "terminal/commandDetectionAvailable": (state) => ({ ...state, supportsCommandDetection: true }),
  "terminal/commandExecuted": executed,
  "terminal/commandFinished": finished,
};

export function reduceTerminal(state, action) {
  const reduce = reducers[action.type];
  return reduce ? reduce(state, action) : state;
}

export function hasEnded(state) {
  return state.exitCode !== undefined;
}

/** Whether this client may type: it holds the terminal, or the session does, whose clients we all are. */
export function mayUse(state, clientId) {
  return !hasEnded(state) && (state.claim.kind === "session" || state.claim.clientId === clientId);
}

export function outputOf(part) {
  return part.type === "command" ? part.output : part.value;
}

function grown(state, { data }) {
  if (!data) return state;
  const last = state.content.at(-1);
  const goesOn = last?.type === "command" ? !last.isComplete : last?.type === "unclassified";
  if (!goesOn) return { ...state, content: trimmed([...state.content, { type: "unclassified", value: data }]) };
  const field = last.type === "command" ? "output" : "value";
  return { ...state, content: trimmed(state.content.with(-1, { ...last, [field]: last[field] + data })) };
}

function trimmed(content) {
  const size = (part) => (outputOf(part) ?? "").length;
  const text = content.reduce((sum, part) => sum + size(part), 0);
  if (content.length <= MAX_PARTS && text <= MAX_TEXT) return content;
  const kept = [];
  let room = KEPT_TEXT;
  for (const part of content.slice(-KEPT_PARTS).reverse()) {
    if (room <= 0) break;
    const field = part.type === "command" ? "output" : "value";
    kept.unshift(size(part) <= room ? part : { ...part, [field]: part[field].slice(-room) });
    room -= size(part);
  }
  return kept;
}

function exited({ exitCode: _, ...state }, { exitCode }) {
  return exitCode === undefined ? state : { ...state, exitCode };
}

function executed(state, { commandId, commandLine, timestamp }) {
  const part = { type: "command", commandId, commandLine, output: "", timestamp, isComplete: false };
  return { ...state, content: [...state.content, part], supportsCommandDetection: true };
}

function finished(state, { commandId, exitCode, durationMs }) {
  const index = state.content.findLastIndex((part) => part.type === "command" && part.commandId === commandId);
  if (index < 0) return state;
  const told = { ...(exitCode === undefined ? {} : { exitCode }), ...(durationMs === undefined ? {} : { durationMs }) };
  return { ...state, content: state.content.with(index, { ...state.content[index], isComplete: true, ...told }) };
}
