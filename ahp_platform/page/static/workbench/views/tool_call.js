// How is a tool call shown, and how does one allow or refuse it?

import { h } from "../dom.js";
import { plain, rich } from "../markdown.js";
import { toolContent, editElement } from "./tool_content.js";

const STATE = {
  streaming: ["working", "Preparing"],
  "pending-confirmation": ["waiting", "Needs your confirmation"],
  running: ["working", "Running"],
  "auth-required": ["waiting", "Needs a sign-in"],
  "pending-result-confirmation": ["waiting", "Result needs your confirmation"],
  completed: ["done", "Done"],
  cancelled: ["stopped", "Not run"],
};
const WHY_NOT = { denied: "Denied", skipped: "Not run", "result-denied": "Result refused" };
const DEFAULT_OPTIONS = [
  { id: undefined, label: "Allow", kind: "approve" },
  { id: undefined, label: "Deny", kind: "deny" },
];

export class ToolCallView {
  #actions;
  #call;
  #turnId;
  #form = null;
  #formFor = null;
  #input = null;
  #suggestion = null;
  element = h("section", { class: "tool-call" });

  constructor(actions) {
    this.#actions = actions;
  }

  update({ toolCall: call }, { turnId }) {
    this.#turnId = turnId;
    const opened = this.element.querySelector("details")?.open;
    this.#call = call;
    const [look, text] = stateOf(call);
    this.element.dataset.state = look;
    this.element.setAttribute("aria-label", `Tool call: ${call.displayName}, ${text}`);
    this.element.replaceChildren(...this.#content(call, text, opened));
  }

  #content(call, text, opened) {
    const form = this.#formOf(call);
    const message = call.status === "completed" ? call.pastTenseMessage : call.invocationMessage;
    const title = (call.status === "pending-confirmation" && call.confirmationTitle) || call.displayName;
    return [
      h("header", {}, h("span", { class: "tool-mark", "aria-hidden": "true" }), h("h3", {}, plain(title)), h("span", { class: "tool-state" }, text)),
      message ? h("div", { class: "tool-message" }, rich(message)) : null,
      call.intention && call.status !== "completed" && call.intention !== plain(message) ? h("p", { class: "tool-intention" }, call.intention) : null,
      riskElement(call.riskAssessment),
      ...(call.edits?.items ?? []).map(editElement),
      form ? null : detailsOf(call, opened),
      ...(call.content ?? []).map((item) => toolContent(item, this.#actions)),
      call.error ? h("p", { class: "tool-error" }, call.error.message) : null,
      call.userSuggestion ? h("p", { class: "tool-suggestion" }, `Suggested instead: ${call.userSuggestion.text}`) : null,
      call.reasonMessage ? h("div", { class: "tool-message" }, rich(call.reasonMessage)) : null,
      form,
    ].filter(Boolean);
  }

  /** The form stays while the question is the same, so that nobody loses what they are typing into it. */
  #formOf(call) {
    const asks = ["pending-confirmation", "pending-result-confirmation"].includes(call.status);
    if (!asks || !this.#actions.canWrite) {
      this.#form = this.#formFor = null;
      return null;
    }
    const question = JSON.stringify([call.status, call.toolInput, call.editable, call.options]);
    if (this.#formFor !== question) {
      this.#form = call.status === "pending-confirmation" ? this.#confirmation(call) : this.#resultConfirmation();
      this.#formFor = question;
    }
    return this.#form;
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
      h("div", { class: "buttons" }, options.map((option) => this.#optionButton(option, options))),
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

function stateOf(call) {
  if (call.status === "completed" && call.success === false) return ["failed", "Failed"];
  if (call.status === "cancelled") return ["stopped", WHY_NOT[call.reason] ?? "Not run"];
  return STATE[call.status] ?? ["working", call.status];
}

function inputField(call) {
  if (call.toolInput === undefined) return null;
  if (!call.editable) return h("pre", { tabindex: 0 }, call.toolInput);
  return h("textarea", { rows: Math.min(8, call.toolInput.split("\n").length + 1), spellcheck: "false", value: call.toolInput });
}

function detailsOf(call, opened) {
  const input = call.toolInput ?? call.partialInput;
  if (!input) return null;
  return h("details", { class: "tool-input", open: opened }, h("summary", {}, "Input"), h("pre", { tabindex: 0 }, input));
}

function riskElement(assessment) {
  if (!assessment) return null;
  if (assessment.status === "loading") return h("p", { class: "tool-risk" }, "Checking how risky this is…");
  const unsafe = assessment.safety < 0.5;
  return h("div", { class: `tool-risk${unsafe ? " unsafe" : ""}` }, rich(assessment.reason));
}
