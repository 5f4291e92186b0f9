// How is one chat shown? The transcript, what is being written into it, and the place to answer.

import { isOpenRequest } from "../channels/chat.js";
import { agentNamed, ROOT } from "../channels/root.js";
import { isBlocked } from "../channels/tool_call.js";
import { h, icon, KeyedList } from "../dom.js";
import { Composer, QuietComposer } from "./composer.js";
import { TurnView } from "./turn.js";

const NEAR_END_PX = 60;
const NONE = [];

export class ChatView {
  #app;
  #session;
  #uri;
  #shown;
  #follow = true;
  #place = 0;
  #turns;
  #said;

  constructor(app, session, uri) {
    this.#app = app;
    this.#session = session;
    this.#uri = uri;
    const actions = this.#actions();
    this.#build(actions);
    this.#turns = new KeyedList(this.list, (turn) => turn.id, (turn) => new TurnView(turn, actions));
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#keepAtEnd()).observe(this.scroller);
  }

  #build(actions) {
    this.list = h("div", { class: "turns" });
    this.empty = h("p", { class: "empty" }, actions.canWrite ? "Nothing has been said here yet. Write a message to begin." : "Nothing has been said here yet.");
    this.earlier = h("button", { type: "button", class: "quiet earlier", hidden: true, onclick: () => this.#loadEarlier() }, "Show earlier messages");
    this.scroller = h("div", { class: "transcript", role: "log", "aria-label": "Conversation", tabindex: 0 }, this.earlier, this.empty, this.list);
    this.jump = h("button", { type: "button", class: "jump round", hidden: true, "aria-label": "Go to the latest message", title: "Latest", onclick: () => this.#toEnd() }, icon("down"));
    this.composer = actions.canWrite ? new Composer(actions) : new QuietComposer();
    this.element = h("div", { class: "chat" }, this.scroller, h("div", { class: "chat-foot" }, this.jump, this.composer.element));
  }

  /** What the views below may do; they know neither sockets nor replicas. */
  #actions() {
    const app = this.#app;
    const dispatch = (action) => app.replicas.dispatch(this.#uri, action);
    const composing = {
      complete: (text, offset) => this.#complete(text, offset),
      triggers: () => app.replicas.triggers,
      models: () => this.#models(),
      model: () => app.models.get(this.#session) ?? this.#lastModel(),
      chooseModel: (selection) => app.models.set(this.#session, selection),
    };
    const looking = {
      openFile: (uri, line) => app.openFile(uri, line),
      openTerminal: (uri, title) => app.openTerminal(uri, title),
      showTerminal: (uri) => app.liveTerminal(uri),
      read: (uri) => app.wire.request("resourceRead", { channel: ROOT, uri }),
      request: (method, params) => app.wire.request(method, params),
      showChat: (uri) => app.showChat(uri),
    };
    return {
      ...composing,
      ...looking,
      canWrite: app.canWrite,
      dispatch,
      tell: (text) => app.tell(text),
      decide: (action) => {
        dispatch(action);
        this.composer.focus();
      },
      say: (message) => {
        this.#follow = true;
        app.say(this.#session, this.#uri, message);
      },
    };
  }

  async #complete(text, offset) {
    const { items } = await this.#app.wire.request("completions", { channel: this.#uri, kind: "userMessage", text, offset });
    return items;
  }

  #models() {
    const root = this.#app.replicas.state(ROOT);
    return agentNamed(root, this.#app.replicas.state(this.#session)?.provider)?.models ?? NONE;
  }

  #lastModel() {
    const { turns = [], activeTurn } = this.#shown ?? {};
    return (activeTurn ?? turns.at(-1))?.message.model;
  }

  update(state) {
    if (state === this.#shown) return;
    const before = this.#shown;
    const height = this.scroller.scrollHeight;
    this.#shown = state;
    this.#turns.update(state.activeTurn ? [...state.turns, state.activeTurn] : state.turns);
    this.composer.update(state);
    this.empty.hidden = state.turns.length > 0 || state.activeTurn !== undefined;
    this.earlier.hidden = state.turnsNextCursor === undefined;
    this.scroller.setAttribute("aria-busy", String(state.activeTurn !== undefined));
    this.#announce(state);
    if (this.#follow) this.#toEnd();
    else if (before && before.turns[0] !== state.turns[0]) this.scroller.scrollTop += this.scroller.scrollHeight - height;
  }

  /** After the element has come (back) into the document, which forgets where it was scrolled to. */
  shown() {
    if (this.#follow) this.#toEnd();
    else this.scroller.scrollTop = this.#place;
    this.composer.focus();
  }

  /** One sentence when something changes that matters; the log itself is read once an answer is complete. */
  #announce({ activeTurn, turns }) {
    const said = sentence(activeTurn, turns.at(-1));
    if (said !== this.#said && this.#said !== undefined) this.#app.announce(said);
    this.#said = said;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    if (!clientHeight) return;
    this.#place = scrollTop;
    this.#follow = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.jump.hidden = this.#follow;
  }

  #keepAtEnd() {
    if (this.#follow) this.#toEnd();
  }

  #toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  async #loadEarlier() {
    this.#follow = false;
    this.earlier.disabled = true;
    // The turns come as an action of their own before the answer does.
    await this.#app.ask("fetchTurns", { channel: this.#uri, cursor: this.#shown.turnsNextCursor });
    this.earlier.disabled = false;
  }
}

function sentence(active, last) {
  if (!active) {
    const ends = { error: "The agent failed.", cancelled: "The agent was stopped." };
    return last ? (ends[last.state] ?? "The answer is complete.") : "";
  }
  if (active.responseParts.some(isOpenRequest)) return "The agent asks a question.";
  const blocked = active.responseParts.find((part) => part.kind === "toolCall" && isBlocked(part.toolCall));
  return blocked ? `${blocked.toolCall.displayName} needs your confirmation.` : "The agent is answering.";
}
