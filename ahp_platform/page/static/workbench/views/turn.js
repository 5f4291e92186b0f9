// How is one turn shown: what was asked, and what was answered?

import { h } from "../dom.js";
import { duration, fileName } from "../words.js";
import { partView } from "./parts.js";

const ASKED_BY = { user: "Message", agent: "From another agent", tool: "From a tool", systemNotification: "From the system" };

export class TurnView {
  #actions;
  #parts = [];
  #answer = h("div", { class: "answer" });
  #footer = h("footer", { class: "turn-footer" });

  constructor(turn, actions) {
    this.#actions = actions;
    this.element = h("article", { class: "turn" }, messageElement(turn.message), this.#answer, this.#footer);
  }

  /** A turn without `state` is the one that is running. */
  update(turn) {
    const running = turn.state === undefined;
    this.element.classList.toggle("running", running);
    turn.responseParts.forEach((part, index) => {
      const last = index === turn.responseParts.length - 1;
      const shown = this.#parts[index];
      const settled = shown && shown.part === part && shown.last === last && shown.running === running;
      if (!settled) this.#show(index, part, { running, last, turnId: turn.id });
    });
    for (const { view } of this.#parts.splice(turn.responseParts.length)) view.element.remove();
    this.#footer.replaceChildren(...footerOf(turn));
  }

  #show(index, part, place) {
    let view = this.#parts[index]?.view;
    if (this.#parts[index]?.part.kind !== part.kind) {
      const fresh = partView(part.kind, this.#actions);
      if (view) view.element.replaceWith(fresh.element);
      else this.#answer.append(fresh.element);
      view = fresh;
    }
    view.update(part, place);
    this.#parts[index] = { view, part, ...place };
  }
}

export function messageElement(message) {
  const kind = message.origin?.kind ?? "user";
  const attachments = (message.attachments ?? []).map((item) => h("li", {}, item.label || fileName(item.uri ?? item.resource ?? "")));
  return h(
    "div",
    { class: `message from-${kind}` },
    h("span", { class: kind === "user" ? "visually-hidden" : "message-from" }, ASKED_BY[kind] ?? "Message"),
    h("p", { class: "message-text" }, message.text),
    attachments.length ? h("ul", { class: "attachments", "aria-label": "Attachments" }, attachments) : null,
  );
}

function footerOf(turn) {
  if (turn.state === undefined) {
    const waits = turn.responseParts.length === 0 ? h("span", { class: "visually-hidden" }, "The agent is starting") : null;
    return [h("span", { class: "pulse", "aria-hidden": "true" }, h("i"), h("i"), h("i")), waits].filter(Boolean);
  }
  const items = [];
  if (turn.state === "cancelled") items.push(h("span", { class: "ended stopped" }, "Stopped"));
  if (turn.state === "error") items.push(failure(turn.error));
  const facts = factsOf(turn);
  if (facts) items.push(h("span", { class: "facts" }, facts));
  return items;
}

// What a person can do about it, where the message itself does not say.
const REMEDY = {
  authRequired: "Sign in under Setup, then send your message again.",
  agentMissing: "Whoever runs this service can install it.",
  agentSilent: "Send your message again; if it stays so, choose another model or agent.",
  timeLimit: "Send a message to have it go on, or ask for less at once.",
  noDirectory: "Start a new session, or ask for the directory to be put back.",
};

function failure(error) {
  const remedy = REMEDY[error?.errorType];
  return h("div", { class: "ended failed", role: "note" }, h("p", {}, error?.message || "The agent failed."), remedy ? h("p", { class: "remedy" }, remedy) : null);
}

function factsOf({ duration: ms, usage }) {
  const facts = [];
  const { cost, contextUsed, contextSize } = usage?._meta ?? {};
  if (ms !== undefined) facts.push(duration(ms));
  if (usage?.inputTokens !== undefined) facts.push(`${usage.inputTokens} tokens in`);
  if (usage?.outputTokens !== undefined) facts.push(`${usage.outputTokens} out`);
  if (contextUsed !== undefined && contextSize) facts.push(`${Math.round((100 * contextUsed) / contextSize)} % of the context`);
  if (Number.isFinite(cost?.amount)) facts.push(`${cost.amount} ${cost.currency ?? ""}`.trim());
  if (usage?.model) facts.push(usage.model);
  return facts.join(" · ");
}
