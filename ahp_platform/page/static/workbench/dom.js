// How are elements made and kept in step with data? Text always goes in as text nodes, never as markup.

/** h("button", {class: "primary", onclick: f, "aria-label": "x", hidden: false}, "text", child, null) */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value" || name === "checked") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/** Touches the document only where the text differs. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const ICONS = {
  back: "M15 5l-7 7 7 7",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  send: "M12 19V5M5.5 11.5L12 5l6.5 6.5",
  stop: "M7 7h10v10H7z",
  down: "M12 5v14M5.5 12.5L12 19l6.5-6.5",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3",
  team: "M9 11a3 3 0 100-6 3 3 0 000 6zM3.5 19a5.5 5.5 0 0111 0M16 5.5a3 3 0 010 5.3M17.5 14a5.5 5.5 0 013 5",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A list of views in step with a list of data: one view per key, moved only where the order differs, updated only where the item does. */
export class KeyedList {
  #views = new Map();

  /** `create(item)` gives a view: an object with `element` and `update(item)`. */
  constructor(container, keyOf, create) {
    this.container = container;
    this.keyOf = keyOf;
    this.create = create;
  }

  update(items) {
    const next = new Map();
    let place = this.container.firstElementChild;
    for (const item of items) {
      const key = this.keyOf(item);
      const held = this.#views.get(key) ?? { view: this.create(item) };
      if (held.item !== item) held.view.update(item);
      held.item = item;
      next.set(key, held);
      if (place === held.view.element) place = place.nextElementSibling;
      else this.container.insertBefore(held.view.element, place);
    }
    for (const [key, { view }] of this.#views) if (!next.has(key)) view.element.remove();
    this.#views = next;
  }
}
