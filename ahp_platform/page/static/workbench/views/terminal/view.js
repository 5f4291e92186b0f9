// How is one terminal shown: its screen, where it is, who may type, how it ended? All who watch it see the same.

import { hasEnded, mayUse, outputOf, reduceTerminal } from "../../channels/terminal.js";
import { h, icon, setText } from "../../dom.js";
import { holderOf } from "../../terminals.js";
import { errorText } from "../../words.js";
import { Screen } from "./screen.js";

const LINKS = /^https?:\/\//;

export class TerminalView {
  #app;
  #uri;
  #screen = null;
  #closed = false;
  #wantsFocus = false;
  #lastHand;
  #frame = h("div", { class: "terminal-frame" });
  #where = h("span", { class: "terminal-where" });
  #holder = h("span", { class: "terminal-holder" });
  #ended = h("p", { class: "terminal-ended", hidden: true });
  #hand = h("button", { type: "button", class: "quiet small", hidden: true, onclick: () => this.#handOver() });
  #clear = h("button", { type: "button", class: "quiet small", hidden: true, onclick: () => this.#dispatch({ type: "terminal/cleared" }) }, "Clear");

  /** `compact`: inside a tool call's card, without the bar above it. */
  constructor(app, uri, { compact = false } = {}) {
    this.#app = app;
    this.#uri = uri;
    const bar = h("div", { class: "terminal-bar" }, this.#where, this.#holder, this.#hand, this.#clear);
    this.element = h("section", { class: `terminal${compact ? " compact" : ""}`, "aria-label": "Terminal" }, compact ? null : bar, this.#frame, this.#ended);
    this.#frame.addEventListener("focusin", () => this.#fit());
    this.#start();
  }

  async #start() {
    this.#frame.replaceChildren(h("p", { class: "empty", role: "status" }, "Opening the terminal…"));
    try {
      const { state } = await this.#app.replicas.open(this.#uri, reduceTerminal);
      if (this.#closed) return this.#app.replicas.close(this.#uri);
      await this.#attach(state);
    } catch (error) {
      this.#frame.replaceChildren(h("p", { class: "empty" }, errorText(error)), h("p", { class: "empty" }, h("button", { type: "button", onclick: () => this.#start() }, "Try again")));
    }
  }

  async #attach(state) {
    this.#frame.replaceChildren();
    const options = {
      cols: state.cols,
      rows: state.rows,
      label: "Terminal input",
      onTyped: (data) => this.#dispatch({ type: "terminal/input", data }),
      // Every screen hears a program's question, and one answers: that of whoever did something here last.
      onAnswer: (data) => this.#lastHand === this.#app.replicas.clientId && this.#dispatch({ type: "terminal/input", data }),
      onLink: (uri) => this.#follow(uri),
      onRoom: () => this.#screen?.isFocused && this.#fit(),
    };
    const screen = await Screen.open(this.#frame, options);
    if (this.#closed) return screen.close();
    this.#screen = screen;
    this.#app.replicas.addEventListener("applied", this.#applied);
    this.#app.replicas.addEventListener("reset", this.#replaced);
    // What came while the library was loading is in the state by now.
    screen.replay(this.#state.content);
    this.#app.changed();
    if (this.#wantsFocus) this.focus();
    return undefined;
  }

  get #state() {
    return this.#app.replicas.state(this.#uri);
  }

  get room() {
    return this.#screen?.room;
  }

  update(session) {
    const state = this.#state;
    if (!state || !this.#screen) return;
    const { clientId } = this.#app.replicas;
    const mine = this.#app.canWrite && mayUse(state, clientId);
    this.#screen.readOnly = !mine;
    if (state.cols && state.rows) this.#screen.resize(state.cols, state.rows);
    setText(this.#where, where(state));
    this.#where.title = state.cwd ?? "";
    setText(this.#holder, this.#app.canWrite ? holderOf(state.claim, session?.activeClients ?? [], clientId) : "You can watch");
    this.#hand.hidden = !mine || !session;
    setText(this.#hand, state.claim.kind === "session" ? "Take over" : "Share");
    this.#clear.hidden = !mine;
    this.#ended.hidden = !hasEnded(state);
    setText(this.#ended, hasEnded(state) ? `This terminal has ended with exit code ${state.exitCode}.` : "");
  }

  /** The cursor goes here, and with it the size of this window. */
  focus() {
    this.#wantsFocus = true;
    if (!this.#screen) return;
    this.#wantsFocus = false;
    this.#screen.focus();
    this.#fit();
  }

  close() {
    this.#closed = true;
    this.#app.replicas.removeEventListener("applied", this.#applied);
    this.#app.replicas.removeEventListener("reset", this.#replaced);
    this.#screen?.close();
    this.#app.replicas.close(this.#uri);
  }

  #dispatch(action) {
    this.#app.replicas.dispatch(this.#uri, action);
  }

  #handOver() {
    const clientId = this.#app.replicas.clientId;
    const claim = this.#state.claim.kind === "session" ? { kind: "client", clientId } : { kind: "session", session: this.#app.openUri };
    this.#dispatch({ type: "terminal/claimed", claim });
  }

  /** The window of whoever works in it decides the size; the others see what fits theirs, and scroll. */
  #fit() {
    const state = this.#state;
    const room = this.#screen?.room;
    if (!room || !state || !this.#app.canWrite || !mayUse(state, this.#app.replicas.clientId)) return;
    if (room.cols !== state.cols || room.rows !== state.rows) this.#dispatch({ type: "terminal/resized", ...room });
  }

  #applied = ({ detail: { uri, action, clientId } }) => {
    if (uri !== this.#uri) return;
    this.#lastHand = clientId ?? this.#lastHand;
    if (action.type === "terminal/data") this.#screen.write(action.data);
    else if (action.type === "terminal/cleared") this.#screen.clear();
    else if (action.type === "terminal/commandExecuted") this.#screen.begin(action);
    else if (action.type === "terminal/commandFinished") this.#screen.end(action);
  };

  #replaced = ({ detail: uri }) => {
    if (uri === this.#uri) this.#screen.replay(this.#state.content.filter((part) => outputOf(part) !== undefined));
  };

  async #follow(uri) {
    if (!LINKS.test(uri)) return;
    if (await this.#app.dialogs.confirm("Open this link?", uri, "Open")) window.open(uri, "_blank", "noopener,noreferrer");
  }
}

function where({ cwd }) {
  if (!cwd) return "";
  try {
    return decodeURIComponent(cwd.replace(/^file:\/\//, "").replace(/\/$/, "").split("/").at(-1));
  } catch {
    return cwd;
  }
}
