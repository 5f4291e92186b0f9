// How does one say something to the agent: now, in line after the running turn, or into it?

import { h, icon, KeyedList, setText } from "../dom.js";
import { newId } from "../ids.js";

const LABEL = { idle: "Message to the agent", running: "Message for after this answer" };

export class Composer {
  #actions;
  #running = false;
  #turnId;
  #field = h("textarea", { rows: 1, "aria-label": LABEL.idle, placeholder: LABEL.idle, enterkeyhint: "send" });
  #send = h("button", { type: "submit", class: "primary round", "aria-label": "Send", title: "Send" }, icon("send"));
  #steer = h("button", { type: "button", class: "quiet", hidden: true, title: "Tell the agent now, without waiting for its answer to end" }, "Send into this answer");
  #stop = h("button", { type: "button", class: "round stop", hidden: true, "aria-label": "Stop the agent", title: "Stop" }, icon("stop"));
  #waiting = h("ul", { class: "waiting", "aria-label": "Messages that wait" });
  #list;

  constructor(actions) {
    this.#actions = actions;
    this.#list = new KeyedList(this.#waiting, ({ key }) => key, () => new WaitingMessage(actions));
    const hint = h("span", { class: "hint", "aria-hidden": "true" }, "Enter sends, Shift+Enter starts a new line");
    const box = h("div", { class: "composer-box" }, this.#field, h("div", { class: "composer-row" }, hint, this.#steer, this.#stop, this.#send));
    this.element = h("form", { class: "composer" }, this.#waiting, box);
    this.element.addEventListener("submit", (event) => this.#submit(event));
    this.#steer.addEventListener("click", () => this.#pend("steering"));
    this.#stop.addEventListener("click", () => actions.dispatch({ type: "chat/turnCancelled", turnId: this.#turnId, duration: 0 }));
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("input", () => this.#typed());
  }

  /** Not on a touch screen, where the keyboard would cover the conversation. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.#field.focus({ preventScroll: true });
  }

  update({ activeTurn, queuedMessages = [], steeringMessage }) {
    this.#running = activeTurn !== undefined;
    this.#turnId = activeTurn?.id;
    const label = this.#running ? LABEL.running : LABEL.idle;
    this.#field.placeholder = label;
    this.#field.setAttribute("aria-label", label);
    this.#stop.hidden = !this.#running;
    this.#refresh();
    const steering = steeringMessage ? [{ kind: "steering", pending: steeringMessage }] : [];
    const queued = queuedMessages.map((pending) => ({ kind: "queued", pending }));
    this.#list.update([...steering, ...queued].map((item) => ({ ...item, key: `${item.kind} ${item.pending.id}` })));
    this.#waiting.hidden = !steering.length && !queued.length;
  }

  #refresh() {
    const empty = !this.#field.value.trim();
    this.#send.disabled = empty;
    this.#send.setAttribute("aria-label", this.#running ? "Queue this message" : "Send");
    this.#steer.hidden = !this.#running || empty;
  }

  /** The field grows with its text; CSS limits how far. Never measured while an answer streams. */
  #typed() {
    this.#refresh();
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.element.requestSubmit();
  }

  #submit(event) {
    event.preventDefault();
    if (this.#running) return this.#pend("queued");
    const message = this.#take();
    if (!message) return;
    this.#actions.say(message);
  }

  #pend(kind) {
    const message = this.#take();
    if (message) this.#actions.dispatch({ type: "chat/pendingMessageSet", kind, id: newId(), message });
  }

  #take() {
    const text = this.#field.value.trim();
    if (!text) return null;
    this.#field.value = "";
    this.#typed();
    this.focus();
    return userMessage(text);
  }
}

export function userMessage(text) {
  return { text, origin: { kind: "user" } };
}

class WaitingMessage {
  #text = h("span", { class: "waiting-text" });
  #kind = h("span", { class: "waiting-kind" });
  #item;

  constructor(actions) {
    const remove = () =>
      actions.dispatch({ type: "chat/pendingMessageRemoved", kind: this.#item.kind, id: this.#item.pending.id });
    const button = h("button", { type: "button", class: "quiet round", "aria-label": "Remove this message", title: "Remove", onclick: remove }, icon("close"));
    this.element = h("li", {}, this.#kind, this.#text, actions.canWrite ? button : null);
  }

  update(item) {
    this.#item = item;
    setText(this.#kind, item.kind === "steering" ? "For this answer" : "Next");
    setText(this.#text, item.pending.message.text);
  }
}

/** What somebody who may only look sees in its place. */
export class QuietComposer {
  #waiting = h("ul", { class: "waiting", "aria-label": "Messages that wait" });
  #list = new KeyedList(this.#waiting, ({ pending }) => pending.id, () => new WaitingMessage({ canWrite: false }));
  element = h("div", { class: "composer quiet-composer" }, this.#waiting, h("p", { class: "hint" }, "You can follow this conversation, but not take part in it."));

  update({ queuedMessages = [] }) {
    this.#list.update(queuedMessages.map((pending) => ({ kind: "queued", pending })));
    this.#waiting.hidden = !queuedMessages.length;
  }

  focus() {}
}
