// How is one part of an answer shown? One view per kind, each keeping its element and changing it in place.

import { h, setText } from "../dom.js";
import { MarkdownView, rich } from "../markdown.js";
import { fileName } from "../words.js";
import { InputRequestView } from "./input_request.js";
import { ToolCallView } from "./tool_call.js";

class TextView {
  #markdown = new MarkdownView();
  element = this.#markdown.element;

  update(part) {
    this.#markdown.update(part.content);
  }
}

class ReasoningView {
  #markdown = new MarkdownView();
  #summary = h("summary", {}, "Reasoning");
  element = h("details", { class: "reasoning" }, this.#summary, this.#markdown.element);

  update(part, { running, last }) {
    this.element.classList.toggle("running", running && last);
    setText(this.#summary, running && last ? "Thinking…" : "Reasoning");
    this.#markdown.update(part.content);
  }
}

class NoteView {
  element = h("div", { class: "note" });

  update(part) {
    this.element.replaceChildren(rich(part.content));
  }
}

class ReferenceView {
  element = h("p", { class: "reference" });

  update(part) {
    setText(this.element, `Refers to ${fileName(part.uri)}`);
    this.element.title = part.uri;
  }
}

class UnknownView {
  element = h("p", { class: "note" }, "This part of the answer cannot be shown on this page.");

  update() {}
}

const VIEWS = {
  markdown: TextView,
  reasoning: ReasoningView,
  toolCall: ToolCallView,
  inputRequest: InputRequestView,
  systemNotification: NoteView,
  contentRef: ReferenceView,
};

export function partView(kind, actions) {
  return new (VIEWS[kind] ?? UnknownView)(actions);
}
