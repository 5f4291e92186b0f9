// Which messages wait: one for the answer that is being written, and those in line after it?

import { h, icon, KeyedList, setText } from "../../dom.js";

export class WaitingMessages {
  #list;
  element = h("ul", { class: "waiting", "aria-label": "Messages that wait" });

  constructor(actions) {
    this.#list = new KeyedList(this.element, ({ key }) => key, () => new WaitingMessage(actions));
  }

  update(queuedMessages = [], steeringMessage = undefined) {
    const steering = steeringMessage ? [{ kind: "steering", pending: steeringMessage }] : [];
    const queued = queuedMessages.map((pending) => ({ kind: "queued", pending }));
    this.#list.update([...steering, ...queued].map((item) => ({ ...item, key: `${item.kind} ${item.pending.id}` })));
    this.element.hidden = !steering.length && !queued.length;
  }
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
