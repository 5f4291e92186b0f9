// How is the terminal of a tool call shown? Live while its command runs, as plain text afterwards, and whole beside the conversation.

import { h, icon, setText } from "../dom.js";
import { withoutEscapes } from "../escapes.js";

export class TerminalContent {
  #actions;
  #item;
  #live = null;
  #closed = false;
  #title = h("span", {});
  #exit = h("span", { class: "exit" });
  #place = h("div", { class: "terminal-live", hidden: true });
  #preview = h("pre", { class: "tool-output", tabindex: 0, hidden: true });

  constructor(actions) {
    this.#actions = actions;
    const open = h("button", { type: "button", class: "quiet small", onclick: () => actions.openTerminal(this.#item.resource, this.#item.title) }, "Open");
    this.element = h("div", { class: "tool-terminal" }, h("p", { class: "tool-file" }, icon("terminal"), this.#title, this.#exit, open), this.#place, this.#preview);
  }

  update(item, isRunning) {
    this.#item = item;
    const { title, result } = item;
    setText(this.#title, title || "Terminal");
    const code = result?.exitCode;
    setText(this.#exit, code === undefined ? "" : code === 0 ? "exit code 0" : `exit code ${code}`);
    this.#exit.dataset.state = code === 0 ? "done" : "failed";
    if (isRunning && !result) this.#watch();
    else this.#stop();
    const text = result?.preview === undefined ? "" : withoutEscapes(result.preview).trim();
    this.#preview.hidden = text === "";
    setText(this.#preview, result?.truncated ? `…\n${text}` : text);
  }

  close() {
    this.#closed = true;
    this.#stop();
  }

  async #watch() {
    if (this.#live) return;
    this.#place.hidden = false;
    const live = (this.#live = this.#actions.showTerminal(this.#item.resource));
    try {
      const view = await live;
      if (this.#closed || this.#live !== live) return view.close();
      this.#place.replaceChildren(view.element);
    } catch {
      this.#place.replaceChildren(h("p", { class: "hint" }, "The terminal could not be loaded."));
    }
    return undefined;
  }

  async #stop() {
    const live = this.#live;
    this.#live = null;
    this.#place.hidden = true;
    this.#place.replaceChildren();
    const view = await live?.catch(() => null);
    view?.close();
  }
}
