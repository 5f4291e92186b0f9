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
  files: "M4 7.5V18a1.5 1.5 0 001.5 1.5h13A1.5 1.5 0 0020 18V9.5A1.5 1.5 0 0018.5 8H12L10 5.5H5.5A1.5 1.5 0 004 7v.5z",
  file: "M7 3.5h6.5L18 8v12a1 1 0 01-1 1H7a1 1 0 01-1-1V4.5a1 1 0 011-1zM13.5 3.5V8H18",
  image: "M4.5 5h15v14h-15zM8.5 10.5a1.2 1.2 0 100-2.4 1.2 1.2 0 000 2.4zM5 17l4.5-4.5 3 3L16 11l3.5 4",
  link: "M10 14a4 4 0 005.7 0l2.6-2.6a4 4 0 00-5.7-5.7L11.5 6.8M14 10a4 4 0 00-5.7 0l-2.6 2.6a4 4 0 005.7 5.7l1.1-1.1",
  chevron: "M9.5 6l6 6-6 6",
  terminal: "M4 5h16v14H4zM7.5 9.5l3 2.5-3 2.5M12.5 15h4",
  setup: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.2a2.2 2.2 0 100-4.4 2.2 2.2 0 000 4.4zM9 19.2a2.2 2.2 0 100-4.4 2.2 2.2 0 000 4.4z",
  upload: "M12 16V5M7 9.5L12 4.5l5 5M5 19.5h14",
  download: "M12 4.5v11M7 10.5l5 5 5-5M5 19.5h14",
  newFile: "M7 3.5h6.5L18 8v12a1 1 0 01-1 1H7a1 1 0 01-1-1V4.5a1 1 0 011-1zM12 11v6M9 14h6",
  newFolder: "M4 7.5V18a1.5 1.5 0 001.5 1.5h13A1.5 1.5 0 0020 18V9.5A1.5 1.5 0 0018.5 8H12L10 5.5H5.5A1.5 1.5 0 004 7v.5zM12 11v5M9.5 13.5h5",
  refresh: "M19 12a7 7 0 11-2.2-5.1M19 4.5V8.5h-4",
  edit: "M5 19h4L19 9l-4-4L5 15zM13 7l4 4",
  search: "M10.5 17a6.5 6.5 0 100-13 6.5 6.5 0 000 13zM15.5 15.5L20 20",
  check: "M5.5 12.5l4.5 4.5 9-10",
  attach: "M18.5 11.5l-6.6 6.6a4 4 0 01-5.7-5.7L13 5.7a2.7 2.7 0 013.8 3.8l-6.7 6.7a1.3 1.3 0 01-1.9-1.9l6-6",
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
