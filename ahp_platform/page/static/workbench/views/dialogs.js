// How does the page ask its person for one thing before it goes on? Modal dialogs; Escape and "Cancel" mean no.

import { h } from "../dom.js";

export class Dialogs {
  /** Resolves with the trimmed text, or null. `check(text)` says what is wrong with it, or nothing. */
  ask(title, label, value, { verb = "Save", check } = {}) {
    const field = h("input", { type: "text", value, required: true, maxlength: 255, autocomplete: "off", spellcheck: "false" });
    const told = () => field.setCustomValidity(check?.(field.value.trim()) ?? "");
    field.addEventListener("input", told);
    told();
    const content = h("label", { class: "field" }, h("span", {}, label), field);
    const result = show(title, content, [{ value: "yes", label: verb, look: "primary" }]);
    selectStem(field);
    return result.then((answer) => (answer ? field.value.trim() || null : null));
  }

  /** Resolves with true or false. */
  confirm(title, text, verb) {
    return this.choose(title, text, [{ value: "yes", label: verb, look: "danger" }]).then((answer) => answer === "yes");
  }

  /** Resolves with the value of the choice, or null. `choices`: [{value, label, look}]. */
  choose(title, text, choices) {
    return show(title, h("p", { class: "dialog-text" }, text), choices);
  }
}

/** Of a file's name, what comes before its ending. */
function selectStem(field) {
  const dot = field.value.lastIndexOf(".");
  field.setSelectionRange(0, dot > 0 ? dot : field.value.length);
}

function show(title, content, choices) {
  const cancel = h("button", { type: "button" }, "Cancel");
  const buttons = choices.map(({ value, label, look }) => h("button", { type: "submit", class: look, value }, label));
  const form = h("form", { method: "dialog" }, h("h2", { id: "dialog-title" }, title), content, h("div", { class: "buttons end" }, cancel, buttons));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  document.body.append(dialog);
  cancel.addEventListener("click", () => dialog.close());
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
  });
}
