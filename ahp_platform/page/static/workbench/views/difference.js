// How is a difference of two texts shown: one column, removed and added lines with their numbers, the rest left out?

import { counts, difference, hunks } from "../files/difference.js";
import { h } from "../dom.js";

const SIGN = { same: " ", added: "+", removed: "−" };
const SPOKEN = { added: "added: ", removed: "removed: " };
const MOST_LINES = 600;

/** An element. Nothing in it is ever markup. */
export function differenceElement(before, after) {
  const script = difference(before, after);
  const found = hunks(script);
  if (!found.length) return h("p", { class: "diff-none" }, "The two texts are the same.");
  let room = MOST_LINES;
  const shown = [];
  for (const hunk of found) {
    if (room <= 0) break;
    if (hunk.skipped || shown.length) shown.push(h("div", { class: "diff-skip" }, hunk.skipped === 1 ? "1 unchanged line" : `${hunk.skipped} unchanged lines`));
    shown.push(...hunk.lines.slice(0, room).map(lineElement));
    room -= hunk.lines.length;
  }
  if (room < 0) shown.push(h("div", { class: "diff-skip" }, "The rest is not shown."));
  return h("div", { class: "diff", role: "group", tabindex: 0, "aria-label": "What changed" }, h("div", { class: "diff-lines" }, shown));
}

export function countsOf(before, after) {
  return counts(difference(before, after));
}

function lineElement({ kind, text, before, after }) {
  return h(
    "div",
    { class: `diff-line ${kind}` },
    h("span", { class: "diff-number", "aria-hidden": "true" }, before ?? ""),
    h("span", { class: "diff-number", "aria-hidden": "true" }, after ?? ""),
    h("span", { class: "diff-sign", "aria-hidden": "true" }, SIGN[kind]),
    h("span", { class: "diff-text" }, SPOKEN[kind] ? h("span", { class: "visually-hidden" }, SPOKEN[kind]) : null, text || "\u200b"),
  );
}
