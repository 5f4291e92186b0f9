// How does one say something to the agent: now, in line after the running turn, or into it? With what belongs to it.

import { h, icon } from "../dom.js";
import { newId } from "../ids.js";
import { Attachments } from "./composer/attachments.js";
import { Completions } from "./composer/completions.js";
import { ModelButton } from "./composer/model_button.js";
import { WaitingMessages } from "./composer/waiting.js";

const LABEL = { idle: "Message to the agent", running: "Message for after this answer" };

export class Composer {
  #actions;
  #running = false;
  #turnId;
  #field = h("textarea", { rows: 1, "aria-label": LABEL.idle, placeholder: LABEL.idle, enterkeyhint: "send" });
  #send = h("button", { type: "submit", class: "primary round", "aria-label": "Send", title: "Send" }, icon("send"));
  #steer = h("button", { type: "button", class: "quiet", hidden: true, title: "Tell the agent now, without waiting for its answer to end" }, "Send into this answer");
  #stop = h("button", { type: "button", class: "round stop", hidden: true, "aria-label": "Stop the agent", title: "Stop" }, icon("stop"));
  #waiting;
  #attachments;
  #completions;
  #model;

  constructor(actions) {
    this.#actions = actions;
    this.#waiting = new WaitingMessages(actions);
    this.#attachments = new Attachments((text) => actions.tell(text));
    this.#completions = new Completions(this.#field, actions.complete, actions.triggers, (item) => this.#completed(item));
    this.#model = new ModelButton((selection) => actions.chooseModel(selection));
    this.#build();
    this.element.addEventListener("submit", (event) => this.#submit(event));
    this.#steer.addEventListener("click", () => this.#pend("steering"));
    this.#stop.addEventListener("click", () => actions.dispatch({ type: "chat/turnCancelled", turnId: this.#turnId, duration: 0 }));
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("paste", (event) => this.#pasted(event));
  }

  #build() {
    const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to attach" });
    picker.addEventListener("change", async () => {
      await this.#attachments.addFiles([...picker.files]);
      picker.value = "";
      this.#refresh();
    });
    const attach = h("button", { type: "button", class: "quiet round", "aria-label": "Attach a file", title: "Attach a file", onclick: () => picker.click() }, icon("attach"));
    const hint = h("span", { class: "hint", "aria-hidden": "true" }, "@ names a file, / a command");
    const row = h("div", { class: "composer-row" }, attach, picker, this.#model.element, hint, this.#steer, this.#stop, this.#send);
    const box = h("div", { class: "composer-box" }, this.#field, this.#attachments.element, row);
    this.element = h("form", { class: "composer" }, this.#waiting.element, this.#completions.element, box);
  }

  /** Not on a touch screen, where the keyboard would cover the conversation. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.#field.focus({ preventScroll: true });
  }

  update({ activeTurn, queuedMessages, steeringMessage }) {
    this.#running = activeTurn !== undefined;
    this.#turnId = activeTurn?.id;
    const label = this.#running ? LABEL.running : LABEL.idle;
    this.#field.placeholder = label;
    this.#field.setAttribute("aria-label", label);
    this.#stop.hidden = !this.#running;
    this.#refresh();
    this.#waiting.update(queuedMessages, steeringMessage);
    this.#model.update(this.#actions.models(), this.#actions.model());
  }

  #refresh() {
    const empty = !this.#field.value.trim() && this.#attachments.isEmpty;
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
    if (event.isComposing || this.#completions.key(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.element.requestSubmit();
  }

  #completed({ attachment, insertText }) {
    if (attachment?.uri) this.#attachments.add(attachment, insertText.trim());
    else if (attachment?._meta) this.#attachments.add(attachment, insertText.trim());
    this.#typed();
  }

  async #pasted(event) {
    const files = [...event.clipboardData.files];
    if (!files.length) return;
    event.preventDefault();
    await this.#attachments.addFiles(files);
    this.#refresh();
  }

  #submit(event) {
    event.preventDefault();
    if (this.#running) return this.#pend("queued");
    const message = this.#take();
    if (message) this.#actions.say(message);
    return undefined;
  }

  #pend(kind) {
    const message = this.#take();
    if (message) this.#actions.dispatch({ type: "chat/pendingMessageSet", kind, id: newId(), message });
  }

  #take() {
    const text = this.#field.value.trim();
    if (!text && this.#attachments.isEmpty) return null;
    const attachments = this.#attachments.take(text);
    this.#field.value = "";
    this.#typed();
    this.focus();
    return userMessage(text, { attachments, model: this.#model.selection });
  }
}

export function userMessage(text, { attachments = [], model } = {}) {
  return { text, origin: { kind: "user" }, ...(attachments.length ? { attachments } : {}), ...(model ? { model } : {}) };
}

/** What somebody who may only look sees in its place. */
export class QuietComposer {
  #waiting = new WaitingMessages({ canWrite: false });
  element = h("div", { class: "composer quiet-composer" }, this.#waiting.element, h("p", { class: "hint" }, "You can follow this conversation, but not take part in it."));

  update({ queuedMessages, steeringMessage }) {
    this.#waiting.update(queuedMessages, steeringMessage);
  }

  focus() {}
}
