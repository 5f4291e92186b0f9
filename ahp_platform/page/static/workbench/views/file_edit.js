// How is an edit of a file shown: what it does to which file, how many lines, and on demand the lines themselves?

import { h, icon } from "../dom.js";
import { fileName } from "../words.js";
import { differenceElement } from "./difference.js";

const LARGEST = 512 * 1024;

/** The texts are fetched when somebody unfolds it; `open`: at once. */
export function editElement({ before, after, diff }, actions, open = false) {
  const uri = (after ?? before)?.uri ?? "";
  const moved = before && after && before.uri !== after.uri;
  const verb = moved ? "Moves" : before ? (after ? "Changes" : "Deletes") : "Creates";
  const name = after
    ? h("button", { type: "button", class: "link", title: uri, onclick: (event) => event.preventDefault() || actions.openFile(uri) }, fileName(uri))
    : h("code", { title: uri }, fileName(uri));
  const from = moved ? [h("code", { title: before.uri }, fileName(before.uri)), " → "] : [];
  const counts = [diff?.added ? h("span", { class: "added" }, `+${diff.added}`) : null, diff?.removed ? h("span", { class: "removed" }, `−${diff.removed}`) : null];
  const summary = h("summary", {}, icon("file"), h("span", { class: "edit-verb" }, verb), h("span", { class: "edit-name" }, from, name), counts);
  const place = h("div", { class: "edit-lines" });
  const details = h("details", { class: "file-edit", open }, summary, place);
  const fill = () => details.open && !place.hasChildNodes() && fillIn(place, before, after, actions);
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

async function fillIn(place, before, after, actions) {
  place.replaceChildren(h("p", { class: "hint", role: "status" }, "Loading…"));
  try {
    if (!before && isNow(after)) throw new NotKept();
    const [old, fresh] = await Promise.all([textOf(before, actions), textOf(after, actions)]);
    place.replaceChildren(differenceElement(old, fresh));
  } catch (error) {
    place.replaceChildren(h("p", { class: "hint" }, error instanceof NotKept ? error.message : "What changed can no longer be read."));
  }
}

/** Some agents only tell which file they wrote: its content is then the file itself, as it is by now. */
function isNow(side) {
  return side?.content.uri === side?.uri;
}

class NotKept extends Error {
  message = "This agent did not keep what was there before. Open the file to see it as it is now.";
}

class TooBig extends Error {}

async function textOf(side, actions) {
  if (!side) return "";
  if (side.content.sizeHint > LARGEST) throw new TooBig();
  const { data, encoding } = await actions.read(side.content.uri);
  return encoding === "utf-8" ? data : "(not text)\n";
}
