// What can one do with a whole session: rename it, show or hide it, end it?

import { h, icon } from "../dom.js";
import { titleOf } from "../words.js";

const OTHER = { private: ["tenant", "Show to everybody here"], tenant: ["private", "Keep to yourself"] };

export function sessionMenu(app, uri) {
  const button = h("summary", { class: "round", "aria-label": "Session menu", title: "Menu" }, icon("more"));
  const visibility = h("button", { type: "button" });
  const rename = h("button", { type: "button" }, "Rename…");
  const end = h("button", { type: "button", class: "danger-text" }, "Delete…");
  const element = h("details", { class: "menu" }, button, h("div", { class: "menu-items" }, rename, visibility, end));
  let state;

  const dispatch = (action) => app.replicas.dispatch(uri, action);
  const pick = (handler) => () => {
    element.open = false;
    button.focus();
    handler();
  };
  rename.addEventListener("click", pick(async () => {
    const title = await app.dialogs.ask("Rename the session", "Title", titleOf(state));
    if (title) dispatch({ type: "session/titleChanged", title });
  }));
  visibility.addEventListener("click", pick(() => {
    dispatch({ type: "session/configChanged", config: { visibility: OTHER[state.config.values.visibility][0] } });
  }));
  end.addEventListener("click", pick(async () => {
    const sure = await app.dialogs.confirm("Delete this session?", "Its chats go with it, for everybody. This cannot be undone.", "Delete");
    if (sure) await app.ask("disposeSession", { channel: uri });
  }));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    button.focus();
  });
  element.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !element.contains(relatedTarget)) element.open = false;
  });

  const update = (next) => {
    state = next;
    const [, text] = OTHER[state.config?.values.visibility] ?? [];
    visibility.hidden = !text || !state.config.schema.properties.visibility?.sessionMutable;
    visibility.textContent = text ?? "";
  };
  return { element, update };
}
