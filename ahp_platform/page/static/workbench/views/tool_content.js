// How is what a tool call shows and gives back shown: text, file edits, terminals, pictures, other chats?

import { h, icon } from "../dom.js";
import { link } from "../markdown.js";
import { withoutEscapes } from "../escapes.js";
import { fileName } from "../words.js";
import { editElement } from "./file_edit.js";
import { TerminalContent } from "./terminal_content.js";

const PICTURES = /^image\/(png|jpeg|gif|webp|avif)$/;

const RENDER = {
  text: (item) => h("pre", { class: "tool-output", tabindex: 0 }, withoutEscapes(item.text)),
  fileEdit: editElement,
  resource: (item, actions) => resourceElement(item, actions),
  embeddedResource: embeddedElement,
  subagent: subagentElement,
};

/** Elements for the content of one call, kept while the item is the same: a terminal that runs is not begun anew. */
export class ToolContents {
  #shown = [];
  element = h("div", { class: "tool-contents" });

  constructor(actions) {
    this.actions = actions;
  }

  update(items, isOpen) {
    items.forEach((item, at) => this.#show(item, at, isOpen));
    for (const gone of this.#shown.splice(items.length)) this.#remove(gone);
    this.element.hidden = items.length === 0;
  }

  #show(item, at, isOpen) {
    const before = this.#shown[at];
    if (before?.terminal && item.type === "terminal" && before.item.resource === item.resource) {
      before.item = item;
      return before.terminal.update(item, isOpen);
    }
    if (before?.item === item) return undefined;
    const terminal = item.type === "terminal" ? new TerminalContent(this.actions) : undefined;
    terminal?.update(item, isOpen);
    const element = terminal?.element ?? toolContent(item, this.actions);
    if (before) this.#remove(before, element);
    else this.element.append(element);
    this.#shown[at] = { item, element, terminal };
    return undefined;
  }

  #remove({ element, terminal }, replacement) {
    terminal?.close();
    if (replacement) element.replaceWith(replacement);
    else element.remove();
  }
}

function toolContent(item, actions) {
  return RENDER[item.type]?.(item, actions) ?? h("p", { class: "note" }, "This result cannot be shown on this page.");
}

function resourceElement({ uri }, actions) {
  if (/^https?:\/\//.test(uri)) return h("p", { class: "tool-file" }, link(uri, uri));
  if (uri.startsWith("file:")) return h("p", { class: "tool-file" }, icon("file"), h("button", { type: "button", class: "link", title: uri, onclick: () => actions.openFile(uri) }, fileName(uri)));
  return keptElement(uri, actions);
}

/** What the host keeps beside the conversation because it is long. */
function keptElement(uri, actions) {
  const button = h("button", { type: "button", class: "link" }, "Show all of it");
  const element = h("div", { class: "tool-kept" }, button);
  button.addEventListener("click", async () => {
    try {
      const { data, encoding } = await actions.read(uri);
      element.replaceChildren(h("pre", { class: "tool-output", tabindex: 0 }, encoding === "utf-8" ? withoutEscapes(data) : "This is not text."));
    } catch {
      element.replaceChildren(h("p", { class: "hint" }, "It can no longer be read."));
    }
  });
  return element;
}

function embeddedElement({ contentType, data }) {
  if (PICTURES.test(contentType)) return h("img", { class: "tool-picture", src: `data:${contentType};base64,${data}`, alt: "A picture that the tool gave back" });
  return h("p", { class: "tool-file" }, `Embedded content (${contentType})`);
}

function subagentElement({ resource, title, agentName, description }, actions) {
  return h(
    "p",
    { class: "tool-file" },
    h("button", { type: "button", class: "link", onclick: () => actions.showChat(resource) }, `Open “${title || agentName || "worker"}”`),
    description ? ` ${description}` : null,
  );
}
