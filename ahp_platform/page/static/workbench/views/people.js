// Who else is here? The clients that are active in a session, as small round marks with their names.

import { h } from "../dom.js";

const SHOWN = 4;
const HUES = 6;

export class People {
  #own;
  #shown;
  element = h("ul", { class: "people", "aria-label": "Who is here" });

  constructor(ownClientId) {
    this.#own = ownClientId;
  }

  update(clients) {
    if (clients === this.#shown) return;
    this.#shown = clients;
    const marks = clients.slice(0, SHOWN).map((client) => this.#mark(client));
    const more = clients.length - SHOWN;
    if (more > 0) marks.push(h("li", { class: "person", title: `${more} more` }, `+${more}`));
    this.element.replaceChildren(...marks);
    this.element.hidden = clients.length === 0;
  }

  #mark({ clientId, displayName }) {
    const name = displayName || "Another client";
    const text = clientId === this.#own ? `${name} (you)` : name;
    const initial = Array.from(name)[0].toUpperCase();
    const hue = Array.from(name).reduce((sum, sign) => sum + sign.codePointAt(0), 0) % HUES;
    return h("li", { class: `person hue-${hue}`, title: text }, h("span", { "aria-hidden": "true" }, initial), h("span", { class: "visually-hidden" }, text));
  }
}
