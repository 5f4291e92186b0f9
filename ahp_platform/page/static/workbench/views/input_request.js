// How does the agent ask its questions, and how are they answered?

import { h } from "../dom.js";
import { link } from "../markdown.js";
import { answerText, questionField } from "./questions.js";

const OUTCOME = { accept: "Answered", decline: "Declined", cancel: "Cancelled" };

export class InputRequestView {
  #actions;
  #fields = [];
  #formFor = null;
  element = h("section", { class: "input-request" });

  constructor(actions) {
    this.#actions = actions;
  }

  update({ request, response }, { running }) {
    const open = response === undefined && running;
    this.element.dataset.state = open ? "waiting" : "done";
    this.element.setAttribute("aria-label", open ? "The agent asks" : "A question of the agent");
    if (open && this.#actions.canWrite) return this.#showForm(request);
    this.#formFor = null;
    const outcome = open ? "Waiting for an answer" : (OUTCOME[response] ?? "Not answered");
    this.element.replaceChildren(...heading(request, outcome), answers(request, response));
  }

  #showForm(request) {
    const { answers: drafts = {}, ...question } = request;
    const key = JSON.stringify(question);
    if (this.#formFor !== key) {
      this.#formFor = key;
      this.#fields = (request.questions ?? []).map((it) => questionField(it, () => this.#drafted(request.id, it.id)));
      this.element.replaceChildren(...heading(request, "The agent asks"), this.#form(request));
    }
    for (const field of this.#fields) field.show(drafts[field.id]);
  }

  #form(request) {
    const form = h(
      "form",
      { novalidate: true },
      this.#fields.map((field) => field.element),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "submit", class: "primary" }, this.#fields.length ? "Send answers" : "Continue"),
        h("button", { type: "button", onclick: () => this.#complete(request.id, "decline") }, "Decline"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(request.id);
    });
    return form;
  }

  /** Others see a draft while it is being filled in. */
  #drafted(requestId, questionId) {
    const value = this.#fields.find((field) => field.id === questionId).value();
    const answer = value === undefined ? {} : { answer: { state: "draft", value } };
    this.#actions.dispatch({ type: "chat/inputAnswerChanged", requestId, questionId, ...answer });
  }

  #submit(requestId) {
    const wrong = this.#fields.filter((field) => !field.check());
    if (wrong.length) return wrong[0].focus();
    const answers = {};
    for (const field of this.#fields) {
      const value = field.value();
      answers[field.id] = value === undefined ? { state: "skipped" } : { state: "submitted", value };
    }
    return this.#complete(requestId, "accept", answers);
  }

  #complete(requestId, response, answers) {
    this.#actions.decide({ type: "chat/inputCompleted", requestId, response, ...(answers ? { answers } : {}) });
  }
}

function heading({ message, url }, state) {
  const web = url && /^https?:\/\//.test(url);
  return [
    h("header", {}, h("span", { class: "tool-mark", "aria-hidden": "true" }), h("h3", {}, message || "A question"), h("span", { class: "tool-state" }, state)),
    url ? h("p", {}, "See ", web ? link(url, url) : h("code", {}, url)) : null,
  ].filter(Boolean);
}

function answers({ questions = [], answers: given = {} }, response) {
  const shown = questions.map((question) => [
    h("dt", {}, question.title || question.message),
    h("dd", {}, response === "accept" || given[question.id] ? answerText(question, given[question.id]) : "–"),
  ]);
  return h("dl", { class: "answers" }, shown.flat());
}
