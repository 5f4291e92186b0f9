// How does a small menu of deeds open beside what they are for?

import { h } from "../dom.js";

const EDGE_PX = 8;

/** `items`: [{label, run, look}]. `at`: an element, or {x, y} of the pointer. The focus goes back to `home` afterwards. */
export function popupMenu(items, at, home) {
  const menu = h("div", { class: "menu-items popup", role: "menu", popover: "auto" });
  const buttons = items.map(({ label, run, look }) => h("button", { type: "button", role: "menuitem", class: look, onclick: () => pick(run) }, label));
  menu.append(...buttons);
  const pick = (run) => {
    menu.hidePopover();
    run();
  };
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[next].focus();
  });
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState !== "closed") return;
    menu.remove();
    if (document.activeElement === document.body) home?.focus();
  });
  document.body.append(menu);
  menu.showPopover();
  place(menu, at);
  buttons[0]?.focus();
}

function place(menu, at) {
  const rect = at.getBoundingClientRect?.();
  const [x, y] = rect ? [rect.right - menu.offsetWidth, rect.bottom] : [at.x, at.y];
  menu.style.left = `${Math.max(EDGE_PX, Math.min(x, innerWidth - menu.offsetWidth - EDGE_PX))}px`;
  menu.style.top = `${Math.max(EDGE_PX, Math.min(y, innerHeight - menu.offsetHeight - EDGE_PX))}px`;
}
