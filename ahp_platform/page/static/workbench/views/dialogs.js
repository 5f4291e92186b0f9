// How does the page ask its person for one thing before it goes on? Modal dialogs; Escape and "Cancel" mean no.

import { h } from "../dom.js";

export class Dialogs {
  /** Resolves with the trimmed text, or null. */
  ask(title, label, value) {
    const field = h("input", { type: "text", value, required: true, maxlength: 200 });
    const content = h("label", { class: "field" }, h("span", {}, label), field);
    const result = show(title, content, "Save", "primary").then((yes) => (yes ? field.value.trim() || null : null));
    field.select();
    return result;
  }

  /** Resolves with true or false. */
  confirm(title, text, verb) {
    return show(title, h("p", {}, text), verb, "danger");
  }
}

function show(title, content, verb, look) {
  const cancel = h("button", { type: "button" }, "Cancel");
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", { id: "dialog-title" }, title),
    content,
    h("div", { class: "buttons end" }, cancel, h("button", { type: "submit", class: look, value: "yes" }, verb)),
  );
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  document.body.append(dialog);
  cancel.addEventListener("click", () => dialog.close());
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
