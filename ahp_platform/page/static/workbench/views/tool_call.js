// How is a tool call shown: what it is, where it works, what it changes and says, and what it asks?

import { h, icon, setText } from "../dom.js";
import { quoted } from "../files/uris.js";
import { plain, rich } from "../markdown.js";
import { Confirmation } from "./confirmation.js";
import { editElement } from "./file_edit.js";
import { planElement } from "./plan.js";
import { signInForm } from "./sign_in.js";
import { ToolContents } from "./tool_content.js";

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
const PICTURES = { read: "file", edit: "edit", delete: "close", move: "file", search: "search", execute: "terminal", fetch: "link", plan: "check" };
const OPEN = ["streaming", "running", "pending-confirmation"];

/** A place in the card whose content is made anew only when what it shows is another. */
class Slot {
  #key;

  constructor(element) {
    this.element = element;
    element.hidden = true;
  }

  fill(key, make) {
    const text = JSON.stringify(key ?? null);
    if (text === this.#key) return;
    this.#key = text;
    const content = text === "null" ? null : make();
    this.element.hidden = !content;
    this.element.replaceChildren(...[content ?? []].flat());
  }
}

const slot = (name) => new Slot(h("div", { class: name }));

export class ToolCallView {
  #actions;
  #picture = h("span", { class: "tool-picture-mark", "aria-hidden": "true" });
  #title = h("h3", {});
  #state = h("span", { class: "tool-state" });
  #slots = {
    message: slot("tool-message"),
    intention: slot("tool-intention"),
    risk: slot("tool-risk-place"),
    locations: slot("tool-locations"),
    plan: slot("tool-plan"),
    edits: slot("tool-edits"),
    input: slot("tool-input-place"),
    output: slot("tool-output-place"),
    error: slot("tool-error"),
    suggestion: slot("tool-suggestion"),
    reason: slot("tool-message"),
    signIn: slot("tool-sign-in"),
  };
  #contents;
  #confirmation;

  constructor(actions) {
    this.#actions = actions;
    this.#contents = new ToolContents(actions);
    this.#confirmation = new Confirmation(actions);
    const { message, intention, risk, locations, plan, edits, input, output, error, suggestion, reason, signIn } = this.#slots;
    const above = [message, intention, risk, locations, plan, edits, input].map(({ element }) => element);
    const below = [output, error, suggestion, reason, signIn].map(({ element }) => element);
    const head = h("header", {}, h("span", { class: "tool-mark", "aria-hidden": "true" }), this.#picture, this.#title, this.#state);
    this.element = h("section", { class: "tool-call" }, head, ...above, this.#contents.element, ...below, this.#confirmation.element);
  }

  update({ toolCall: call }, { turnId, running = true }) {
    const [look, text] = stateOf(call);
    const isPlan = call._meta?.kind === "plan";
    this.element.dataset.state = look;
    this.element.classList.toggle("is-plan", isPlan);
    this.element.setAttribute("aria-label", `Tool call: ${call.displayName}, ${text}`);
    const title = (call.status === "pending-confirmation" && call.confirmationTitle) || call.displayName;
    setText(this.#title, plain(title));
    setText(this.#state, isPlan ? "" : text);
    this.#showPicture(PICTURES[call._meta?.kind]);
    this.#say(call);
    this.#showWork(call, isPlan);
    this.#contents.update(isPlan ? [] : (call.content ?? []), running && OPEN.includes(call.status));
    this.#confirmation.update(call, turnId);
  }

  #showPicture(name) {
    if (this.#picture.dataset.icon === (name ?? "")) return;
    this.#picture.dataset.icon = name ?? "";
    this.#picture.replaceChildren(...(name ? [icon(name)] : []));
  }

  #say(call) {
    const slots = this.#slots;
    const message = call.status === "completed" ? call.pastTenseMessage : call.invocationMessage;
    const said = plain(message) === call.displayName ? undefined : message;
    slots.message.fill(said || undefined, () => rich(said));
    const intention = call.intention && call.status !== "completed" && call.intention !== plain(message) ? call.intention : undefined;
    slots.intention.fill(intention, () => h("p", {}, intention));
    slots.risk.fill(call.riskAssessment, () => riskElement(call.riskAssessment));
    const known = (call.content ?? []).some(({ result }) => `exit code ${result?.exitCode}` === call.error?.message);
    slots.error.fill(known ? undefined : call.error?.message, () => h("p", {}, call.error.message));
    slots.suggestion.fill(call.userSuggestion?.text, () => h("p", {}, `Suggested instead: ${call.userSuggestion.text}`));
    slots.reason.fill(call.reasonMessage, () => rich(call.reasonMessage));
    const auth = this.#actions.canWrite && call.status === "auth-required" ? call.auth : undefined;
    slots.signIn.fill(auth, () => signInForm(auth.resource, { scopes: auth.requiredScopes, description: auth.description }, this.#actions.request));
  }

  #showWork(call, isPlan) {
    const slots = this.#slots;
    const places = (call._meta?.locations ?? []).filter(({ path }) => typeof path === "string");
    slots.locations.fill(places.length && !isPlan ? places : undefined, () => places.map((place) => this.#location(place)));
    slots.plan.fill(isPlan ? call._meta.entries : undefined, () => planElement(call._meta.entries));
    const edits = call.status === "completed" ? undefined : call.edits?.items;
    slots.edits.fill(edits, () => edits.map((edit) => editElement(edit, this.#actions, edits.length === 1)));
    const input = call.toolInput ?? call.partialInput;
    // While a question is open its form shows the input.
    const shown = call.status === "pending-confirmation" && this.#actions.canWrite ? undefined : input;
    slots.input.fill(shown || undefined, () => folded("Input", pretty(shown)));
    slots.output.fill(call.structuredContent, () => folded("Output", JSON.stringify(call.structuredContent, null, 2)));
  }

  #location({ path, line }) {
    const text = line === undefined ? path.split("/").at(-1) : `${path.split("/").at(-1)}:${line}`;
    if (!path.startsWith("/")) return h("code", { title: path }, text);
    const uri = `file://${path.split("/").map(quoted).join("/")}`;
    return h("button", { type: "button", class: "link", title: path, onclick: () => this.#actions.openFile(uri, line) }, text);
  }
}

function stateOf(call) {
  if (call.status === "completed" && call.success === false) return ["failed", "Failed"];
  if (call.status === "cancelled") return ["stopped", WHY_NOT[call.reason] ?? "Not run"];
  return STATE[call.status] ?? ["working", call.status];
}

function folded(title, text) {
  return h("details", { class: "tool-input" }, h("summary", {}, title), h("pre", { tabindex: 0 }, text));
}

/** JSON is easier to read with a line for each field. */
function pretty(text) {
  if (!/^\s*[{[]/.test(text) || text.length > 64 * 1024) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function riskElement(assessment) {
  if (assessment.status === "loading") return h("p", { class: "tool-risk" }, "Checking how risky this is…");
  const unsafe = assessment.safety < 0.5;
  return h("div", { class: `tool-risk${unsafe ? " unsafe" : ""}` }, rich(assessment.reason));
}
