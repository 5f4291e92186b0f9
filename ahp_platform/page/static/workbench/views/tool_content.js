// How is what a tool gave back shown: text, file edits, terminals, other chats?

import { h } from "../dom.js";
import { link } from "../markdown.js";
import { fileName } from "../words.js";

const RENDER = {
  text: (item) => h("pre", { class: "tool-output", tabindex: 0 }, item.text),
  fileEdit: editElement,
  terminal: terminalElement,
  resource: (item) => resourceElement(item.uri),
  embeddedResource: (item) => h("p", { class: "tool-file" }, `Embedded content (${item.contentType})`),
  subagent: subagentElement,
};

export function toolContent(item, actions) {
  return RENDER[item.type]?.(item, actions) ?? h("p", { class: "note" }, "This result cannot be shown on this page.");
}

export function editElement({ before, after, diff }) {
  const uri = (after ?? before)?.uri ?? "";
  const verb = before ? (after ? "Changes" : "Deletes") : "Creates";
  return h(
    "p",
    { class: "tool-file", title: uri },
    h("span", {}, `${verb} `),
    h("code", {}, fileName(uri)),
    diff?.added ? h("span", { class: "added" }, ` +${diff.added}`) : null,
    diff?.removed ? h("span", { class: "removed" }, ` −${diff.removed}`) : null,
  );
}

function terminalElement({ title, result }) {
  const exit = result?.exitCode === undefined ? "" : ` (exit code ${result.exitCode})`;
  return h(
    "div",
    { class: "tool-terminal" },
    h("p", { class: "tool-file" }, `Terminal: ${title}${exit}`),
    result?.preview ? h("pre", { class: "tool-output", tabindex: 0 }, result.preview, result.truncated ? "\n…" : "") : null,
  );
}

function resourceElement(uri) {
  const isWeb = /^https?:\/\//.test(uri);
  return h("p", { class: "tool-file", title: uri }, isWeb ? link(uri, uri) : h("code", {}, fileName(uri)));
}

function subagentElement({ resource, title, agentName, description }, actions) {
  return h(
    "p",
    { class: "tool-file" },
    h("button", { type: "button", class: "link", onclick: () => actions.showChat(resource) }, `Open “${title || agentName || "worker"}”`),
    description ? ` ${description}` : null,
  );
}
