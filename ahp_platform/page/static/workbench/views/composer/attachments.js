// What goes along with a message: files of the workspace that it names, and files of this computer that are small enough?

import { h, icon } from "../../dom.js";
import { base64Of } from "../../files/transfer.js";
import { shown } from "../../files/uris.js";
import { size } from "../../words.js";

const LARGEST = 1024 * 1024;

export class Attachments {
  #items = [];
  #tell;
  element = h("ul", { class: "chips composer-attachments", "aria-label": "Attachments", hidden: true });

  /** `tell(text)`: what went wrong. */
  constructor(tell) {
    this.#tell = tell;
  }

  get isEmpty() {
    return this.#items.length === 0;
  }

  /** `mention`: the text that stands for it in the message; without that text it does not go along. */
  add(attachment, mention) {
    if (this.#items.some((item) => JSON.stringify(item.attachment) === JSON.stringify(attachment))) return;
    this.#items.push({ attachment, mention });
    this.#draw();
  }

  async addFiles(files) {
    for (const file of files) {
      if (file.size > LARGEST) {
        this.#tell(`${shown(file.name)} is larger than ${size(LARGEST)}. Upload it under Files, and name it here with @.`);
        continue;
      }
      const data = base64Of(new Uint8Array(await file.arrayBuffer()));
      const contentType = file.type || "application/octet-stream";
      const displayKind = contentType.startsWith("image/") ? "image" : "document";
      this.add({ type: "embeddedResource", label: file.name || "Picture", displayKind, contentType, data });
    }
  }

  /** Those that go with this text; none are left afterwards. */
  take(text) {
    const going = this.#items.filter(({ mention }) => !mention || text.includes(mention)).map(({ attachment }) => attachment);
    this.#items = [];
    this.#draw();
    return going;
  }

  #draw() {
    const remove = (gone) => {
      this.#items = this.#items.filter((item) => item !== gone);
      this.#draw();
    };
    const chips = this.#items.map((item) => {
      const label = shown(item.attachment.label);
      return h("li", { class: "chip" }, label, h("button", { type: "button", class: "quiet round", "aria-label": `Do not attach ${label}`, onclick: () => remove(item) }, icon("close")));
    });
    this.element.replaceChildren(...chips);
    this.element.hidden = chips.length === 0;
  }
}
