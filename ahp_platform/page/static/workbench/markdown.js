// How does a model's text become elements? A small, safe part of Markdown, built node by node: no markup of the model's ever runs.
//
// Text arrives in small pieces. Everything before the last block is final, so an update only renders that block again.

import { h } from "./dom.js";

// Past this length a paragraph is shown as it is: looking for emphasis in it again on every frame would cost more than it gives.
const LONGEST_FORMATTED = 16_000;

const INLINE = [
  [/\\([\\`*_[\]()#+.!-])/y, ([, sign]) => sign],
  [/`([^`\n]{1,2000})`/y, ([, code]) => h("code", {}, code)],
  [/\*\*(?!\s)((?:[^*]|\*(?!\*)){1,2000}?)\*\*/y, ([, text]) => h("strong", {}, inline(text))],
  [/\*(?![\s*])([^*]{1,1000})\*/y, ([, text]) => h("em", {}, inline(text))],
  [/(?<!\w)_(?![\s_])([^_]{1,1000})_(?!\w)/y, ([, text]) => h("em", {}, inline(text))],
  [/\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)/y, ([, text, url]) => link(url, text)],
  [/https?:\/\/[^\s<>()"'`]{1,2000}[^\s<>()"'`.,;:!?]/y, ([url]) => link(url, url)],
];
const SPECIAL = /[\\`*_[]|https?:\/\//g;

export function link(url, text) {
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** The nodes of one run of text. */
export function inline(text) {
  const nodes = [];
  let plain = "";
  let at = 0;
  const add = (node) => {
    if (typeof node === "string") plain += node;
    else {
      nodes.push(plain, node);
      plain = "";
    }
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    add(text.slice(at, next));
    at = next;
    const match = at < text.length && firstMatch(text, at);
    if (match) add(match.node);
    else add(text.slice(at, at + 1));
    at += match ? match.length : 1;
  }
  return [...nodes, plain].filter((node) => node !== "");
}

function firstMatch(text, at) {
  for (const [pattern, make] of INLINE) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { node: make(match), length: match[0].length };
  }
  return null;
}

/** The blocks of `text` from offset `from` on: [{start, kind, lines}]. */
export function blocks(text, from = 0) {
  const found = [];
  let start = from;
  for (const line of text.slice(from).split("\n")) {
    const last = found.at(-1);
    if (last?.kind === "fence" && !last.closed) {
      if (/^\s*(```|~~~)\s*$/.test(line)) last.closed = true;
      else last.lines.push(line);
    } else addLine(found, line, start);
    start += line.length + 1;
  }
  return found.filter((block) => block.kind !== "blank");
}

function addLine(found, line, start) {
  const kind = kindOf(line);
  const last = found.at(-1);
  const joins = last?.kind === kind && !["fence", "heading", "rule"].includes(kind);
  // A line that merely goes on belongs to the list item or quote above it.
  const goesOn = kind === "paragraph" && ["bullets", "numbers", "quote"].includes(last?.kind);
  if (joins || goesOn) last.lines.push(line);
  else found.push({ start, kind, lines: [line], closed: false });
}

function kindOf(line) {
  if (!line.trim()) return "blank";
  if (/^\s*(```|~~~)/.test(line)) return "fence";
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return "rule";
  if (/^\s*[-*+]\s/.test(line)) return "bullets";
  if (/^\s*\d{1,9}[.)]\s/.test(line)) return "numbers";
  return /^\s*>/.test(line) ? "quote" : "paragraph";
}

const RENDER = {
  fence: ({ lines }) => h("pre", { tabindex: 0 }, h("code", {}, lines.slice(1).join("\n"))),
  heading: ({ lines }) => h("p", { class: "md-heading", role: "heading", "aria-level": "3" }, inline(lines[0].replace(/^#+\s+/, ""))),
  rule: () => h("hr"),
  bullets: ({ lines }) => h("ul", {}, items(lines, /^\s*[-*+]\s+/)),
  numbers: ({ lines }) => h("ol", { start: parseInt(lines[0], 10) }, items(lines, /^\s*\d{1,9}[.)]\s+/)),
  quote: ({ lines }) => h("blockquote", {}, inline(lines.map((line) => line.replace(/^\s*>\s?/, "")).join("\n"))),
  paragraph: ({ lines }) => h("p", {}, formatted(lines.join("\n"))),
};

function items(lines, marker) {
  const texts = [];
  for (const line of lines) {
    if (marker.test(line)) texts.push(line.replace(marker, ""));
    else texts.push(`${texts.pop()}\n${line.trim()}`);
  }
  return texts.map((text) => h("li", {}, formatted(text)));
}

function formatted(text) {
  return text.length > LONGEST_FORMATTED ? text : inline(text);
}

export class MarkdownView {
  #text = "";
  #blocks = [];
  element = h("div", { class: "markdown" });

  update(text) {
    if (text === this.#text) return;
    const grows = text.startsWith(this.#text);
    if (grows && this.#appended(text)) return;
    const last = grows ? this.#blocks.pop() : undefined;
    const from = last?.start ?? 0;
    if (!grows) {
      this.element.replaceChildren();
      this.#blocks = [];
    }
    last?.element.remove();
    for (const block of blocks(text, from)) {
      this.#blocks.push({ ...block, element: RENDER[block.kind](block) });
      this.element.append(this.#blocks.at(-1).element);
    }
    this.#text = text;
  }

  /** The quick way: more text at the end of a paragraph that is too long to format. */
  #appended(text) {
    const last = this.#blocks.at(-1);
    const more = text.slice(this.#text.length);
    if (last?.kind !== "paragraph" || more.includes("\n") || text.length - last.start <= LONGEST_FORMATTED) return false;
    if (this.#text.length - last.start <= LONGEST_FORMATTED) return false;
    last.element.lastChild.appendData(more);
    this.#text = text;
    return true;
  }
}

/** For the many places where the protocol has a plain string or `{markdown}`. */
export function rich(value) {
  const view = new MarkdownView();
  if (value === undefined || value === null) return view.element;
  if (typeof value === "string") view.element.append(h("p", {}, value));
  else view.update(value.markdown);
  return view.element;
}

export function plain(value) {
  return typeof value === "object" && value !== null ? value.markdown : (value ?? "");
}
