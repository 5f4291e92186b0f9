// Which form field does a question need, and what is the answer in it? One entry per kind of question.
//
// A control has: elements, read() -> answer value or undefined, write(value), problem(value) -> text or "".

import { h } from "../dom.js";
import { newId } from "../ids.js";

const INPUT_TYPES = { email: "email", uri: "url", url: "url", date: "date", "date-time": "datetime-local", time: "time" };

const CONTROLS = {
  text: textControl,
  number: numberControl,
  integer: numberControl,
  boolean: booleanControl,
  "single-select": singleControl,
  "multi-select": multiControl,
};

/** A question with its control: {id, element, value(), show(answer), check(), focus()}. */
export function questionField(question, changed) {
  const control = CONTROLS[question.kind](question, newId());
  const problem = h("p", { class: "problem", id: newId() });
  const legend = [question.title ?? question.message, question.required ? null : h("span", { class: "optional" }, " (optional)")];
  const hint = question.title && question.title !== question.message ? h("p", { class: "hint" }, question.message) : null;
  const element = h("fieldset", { class: "question", "aria-describedby": problem.id }, h("legend", {}, legend), hint, control.elements, problem);
  element.addEventListener("change", changed);
  const check = () => {
    const value = control.read();
    problem.textContent = value === undefined ? (question.required ? "Please answer this question." : "") : control.problem(value);
    element.classList.toggle("wrong", problem.textContent !== "");
    return problem.textContent === "";
  };
  return {
    id: question.id,
    element,
    value: control.read,
    check,
    focus: () => element.querySelector("input, textarea, select").focus(),
    // What another person fills in appears here too, except under the hands of this one.
    show: (answer) => answer?.value && !element.contains(document.activeElement) && control.write(answer.value),
  };
}

function textControl({ format, min, max, defaultValue, title, message }) {
  const type = INPUT_TYPES[format];
  const attributes = { "aria-label": title ?? message, value: defaultValue ?? "", minlength: min, maxlength: max };
  const field = type ? h("input", { type, ...attributes }) : h("textarea", { rows: 2, ...attributes });
  return {
    elements: [field],
    read: () => (field.value === "" ? undefined : { kind: "text", value: field.value }),
    write: ({ value }) => (field.value = value),
    problem: ({ value }) => {
      if (min !== undefined && value.length < min) return `Please write at least ${min} characters.`;
      if (max !== undefined && value.length > max) return `Please write at most ${max} characters.`;
      return field.validity.valid ? "" : field.validationMessage;
    },
  };
}

function numberControl({ kind, min, max, defaultValue, title, message }) {
  const step = kind === "integer" ? 1 : "any";
  const field = h("input", { type: "number", step, min, max, "aria-label": title ?? message, value: defaultValue ?? "" });
  return {
    elements: [field],
    read: () => (Number.isNaN(field.valueAsNumber) ? undefined : { kind: "number", value: field.valueAsNumber }),
    write: ({ value }) => (field.value = value),
    problem: ({ value }) => {
      if (kind === "integer" && !Number.isInteger(value)) return "Please give a whole number.";
      if (min !== undefined && value < min) return `Please give ${min} or more.`;
      return max !== undefined && value > max ? `Please give ${max} or less.` : "";
    },
  };
}

function booleanControl({ defaultValue }, name) {
  const choices = [choice("radio", name, "true", "Yes"), choice("radio", name, "false", "No")];
  const write = ({ value }) => choices.forEach(({ box }) => (box.checked = box.value === String(value)));
  if (defaultValue !== undefined) write({ value: defaultValue });
  return {
    elements: [h("div", { class: "choices row" }, choices.map(({ element }) => element))],
    read: () => {
      const picked = choices.find(({ box }) => box.checked);
      return picked && { kind: "boolean", value: picked.box.value === "true" };
    },
    write,
    problem: () => "",
  };
}

function singleControl({ options, allowFreeformInput }, name) {
  const choices = options.map((option) => choice("radio", name, option.id, option.label, option));
  const own = allowFreeformInput ? freeform() : null;
  return {
    elements: [h("div", { class: "choices" }, choices.map(({ element }) => element), own)],
    read: () => {
      const picked = choices.find(({ box }) => box.checked)?.box.value;
      const said = freeformValues(own);
      if (picked === undefined && !said.length) return undefined;
      return { kind: "selected", value: picked ?? said[0], ...(said.length ? { freeformValues: said } : {}) };
    },
    write: ({ value }) => choices.forEach(({ box }) => (box.checked = box.value === value)),
    problem: () => "",
  };
}

function multiControl({ options, allowFreeformInput, min, max }, name) {
  const choices = options.map((option) => choice("checkbox", name, option.id, option.label, option));
  const own = allowFreeformInput ? freeform() : null;
  return {
    elements: [h("div", { class: "choices" }, choices.map(({ element }) => element), own)],
    read: () => {
      const picked = choices.filter(({ box }) => box.checked).map(({ box }) => box.value);
      const said = freeformValues(own);
      if (!picked.length && !said.length) return undefined;
      return { kind: "selected-many", value: picked, ...(said.length ? { freeformValues: said } : {}) };
    },
    write: ({ value }) => choices.forEach(({ box }) => (box.checked = value.includes(box.value))),
    problem: ({ value, freeformValues: said = [] }) => {
      const count = value.length + said.length;
      if (min !== undefined && count < min) return `Please choose at least ${min}.`;
      return max !== undefined && count > max ? `Please choose at most ${max}.` : "";
    },
  };
}

function choice(type, name, value, label, { description, recommended } = {}) {
  const box = h("input", { type, name, value });
  const more = description ? h("small", {}, description) : null;
  const text = h("span", {}, label, recommended ? h("em", { class: "recommended" }, " recommended") : null, more);
  return { box, element: h("label", { class: "choice" }, box, text) };
}

function freeform() {
  return h("input", { type: "text", class: "freeform", placeholder: "Something else", "aria-label": "Something else" });
}

function freeformValues(field) {
  const text = field?.value.trim();
  return text ? [text] : [];
}

const SHOW = {
  boolean: ({ value }) => (value ? "Yes" : "No"),
  selected: ({ value, freeformValues }, label) => [label(value), ...(freeformValues ?? [])].join(", "),
  "selected-many": ({ value, freeformValues }, label) => [...value.map(label), ...(freeformValues ?? [])].join(", "),
};

/** An answer in words. */
export function answerText(question, answer) {
  if (!answer?.value) return "Skipped";
  const label = (id) => question.options?.find((option) => option.id === id)?.label ?? id;
  return SHOW[answer.value.kind]?.(answer.value, label) ?? String(answer.value.value);
}
