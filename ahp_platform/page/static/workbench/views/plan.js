// How is an agent's plan shown: its steps, and how far it is?

import { h, icon } from "../dom.js";

const SPOKEN = { pending: "to do", in_progress: "in progress", completed: "done" };

/** `entries`: [{content, priority, status}]. */
export function planElement(entries) {
  const done = entries.filter(({ status }) => status === "completed").length;
  const steps = entries.map(({ content, status, priority }) => {
    const mark = h("span", { class: "step-mark" }, status === "completed" ? icon("check") : null);
    const high = priority === "high" && status !== "completed" ? h("span", { class: "step-note" }, "important") : null;
    return h("li", { class: "step", "data-status": status in SPOKEN ? status : "pending" }, mark, h("span", { class: "visually-hidden" }, `${SPOKEN[status] ?? ""}: `), h("span", {}, content), high);
  });
  return [h("p", { class: "hint" }, `${done} of ${entries.length} done`), h("ol", { class: "steps" }, steps)];
}
