// How does one allow or refuse what a tool would do, or what it gave back?

import { h } from "../dom.js";

const DEFAULT_OPTIONS = [
  { id: undefined, label: "Allow", kind: "approve" },
  { id: undefined, label: "Deny", kind: "deny" },
];

/** The form of one question; it stays while the question is the same, so that nobody loses what they are typing into it. */
export class Confirmation {
  #actions;
  #call;
  #turnId;
  #shownFor = null;
  #input = null;
  #suggestion = null;
  element = h("div", { class: "confirm-place", hidden: true });

  constructor(actions) {
    this.#actions = actions;
  }

  update(call, turnId) {
    this.#call = call;
    this.#turnId = turnId;
    const asks = { "pending-confirmation": () => this.#confirmation(call), "pending-result-confirmation": () => this.#resultConfirmation() }[call.status];
    const question = asks && this.#actions.canWrite ? JSON.stringify([call.status, call.toolInput, call.editable, call.options]) : null;
    if (question === this.#shownFor) return;
    this.#shownFor = question;
    this.element.hidden = question === null;
    this.element.replaceChildren(...(question === null ? [] : [asks()]));
  }

  #confirmation(call) {
    this.#input = inputField(call);
    this.#suggestion = h("input", { type: "text", placeholder: "Optional; sent along when you deny", autocomplete: "off" });
    const options = call.options?.length ? call.options : DEFAULT_OPTIONS;
    return h(
      "div",
      { class: "confirm", role: "group", "aria-label": `Confirm ${call.displayName}` },
      this.#input ? h("label", { class: "field" }, h("span", {}, call.editable ? "Input (you may edit it)" : "Input"), this.#input) : null,
      h("label", { class: "field" }, h("span", {}, "Or say what it should do instead"), this.#suggestion),
      h("div", { class: "option-groups" }, groupsOf(options).map((group) => h("div", { class: "buttons" }, group.map((option) => this.#optionButton(option, options))))),
    );
  }

  #optionButton(option, options) {
    const first = options.find((other) => other.kind === "approve") === option;
    const look = first ? "primary" : option.kind === "deny" ? "danger" : "";
    return h("button", { type: "button", class: look, onclick: () => this.#decide(option) }, option.label);
  }

  #decide({ id, kind }) {
    const decision = { type: "chat/toolCallConfirmed", turnId: this.#turnId, toolCallId: this.#call.toolCallId };
    if (id !== undefined) decision.selectedOptionId = id;
    const suggestion = this.#suggestion.value.trim();
    if (kind === "approve") {
      Object.assign(decision, { approved: true, confirmed: "user-action" });
      const edited = this.#call.editable && this.#input && this.#input.value !== (this.#call.toolInput ?? "");
      if (edited) decision.editedToolInput = this.#input.value;
    } else {
      Object.assign(decision, { approved: false, reason: "denied" });
      if (suggestion) decision.userSuggestion = { text: suggestion, origin: { kind: "user" } };
    }
    this.#actions.decide(decision);
  }

  #resultConfirmation() {
    const answer = (approved) => () =>
      this.#actions.decide({
        type: "chat/toolCallResultConfirmed",
        turnId: this.#turnId,
        toolCallId: this.#call.toolCallId,
        approved,
      });
    return h(
      "div",
      { class: "confirm", role: "group", "aria-label": "Confirm the result" },
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "primary", onclick: answer(true) }, "Use this result"),
        h("button", { type: "button", class: "danger", onclick: answer(false) }, "Refuse it"),
      ),
    );
  }
}

/** In the order given; a new line where the number of the group changes. */
function groupsOf(options) {
  const groups = [];
  for (const option of options) {
    if (groups.length && groups.at(-1)[0].group === option.group) groups.at(-1).push(option);
    else groups.push([option]);
  }
  return groups;
}

function inputField(call) {
  if (call.toolInput === undefined) return null;
  if (!call.editable) return h("pre", { tabindex: 0 }, call.toolInput);
  return h("textarea", { rows: Math.min(8, call.toolInput.split("\n").length + 1), spellcheck: "false", value: call.toolInput });
}
