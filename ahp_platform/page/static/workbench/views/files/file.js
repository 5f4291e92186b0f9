// How is one open file shown: its name and state, what happened to it elsewhere, and its text, its picture or a word about it?

import { h, icon, setText } from "../../dom.js";
import { download } from "../../files/transfer.js";
import { errorText, size } from "../../words.js";
import { differenceElement } from "../difference.js";
import { CodeEditor } from "./code.js";

const NEWS = {
  changed: "Somebody changed this file while you were editing it.",
  conflict: "Not saved: somebody changed this file after you opened it.",
  deleted: "This file is no longer there. Saving puts it back.",
  followed: "Somebody changed this file; this is how it is now.",
};

export class FileView {
  #app;
  #file;
  #editor = null;
  #making = null;
  #shownKind = null;
  #shownText;
  #line;
  #closed = false;
  #state = h("span", { class: "file-state", role: "status" });
  #save = h("button", { type: "button", class: "primary small", onclick: () => this.save() }, "Save");
  #news = h("div", { class: "file-news", role: "alert", hidden: true });
  #difference = h("div", { class: "file-difference", hidden: true });
  #body = h("div", { class: "file-body" });

  /** `file`: an OpenFile; `onClose()`: back to the tree. */
  constructor(app, file, path, onClose) {
    this.#app = app;
    this.#file = file;
    const back = h("button", { type: "button", class: "quiet round", "aria-label": "Close this file", title: "Close", onclick: onClose }, icon("close"));
    const fetch = h("button", { type: "button", class: "quiet round", "aria-label": "Download this file", title: "Download", onclick: () => this.#download() }, icon("download"));
    const name = h("h2", { class: "file-name", title: path }, path);
    this.element = h("section", { class: "file", "aria-label": `File ${file.name}` }, h("div", { class: "dock-head" }, back, name, this.#state, fetch, app.canWrite ? this.#save : null), this.#news, this.#difference, this.#body);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.save();
    });
    file.addEventListener("change", () => this.#update());
    this.#update();
    if (file.isDirty) file.touched();
    else file.load();
  }

  get file() {
    return this.#file;
  }

  /** As soon as the text is there. */
  goTo(line) {
    this.#line = line;
    if (this.#editor) this.#went();
  }

  #went() {
    if (this.#line !== undefined) this.#editor.goTo(this.#line);
    this.#line = undefined;
  }

  async save(options) {
    if (!this.#app.canWrite || this.#file.kind !== "text" || this.#file.saving) return false;
    try {
      const saved = await this.#file.save(options);
      if (saved) this.#app.announce(`${this.#file.name} is saved.`);
      return saved;
    } catch (error) {
      this.#app.tell(`Not saved: ${errorText(error)}`);
      return false;
    }
  }

  close() {
    this.#closed = true;
    this.#editor?.close();
  }

  #stateText() {
    if (!this.#app.canWrite) return "Read only";
    if (this.#file.saving) return "Saving…";
    if (this.#file.isDirty) return "Not saved yet";
    return this.#file.wasSaved ? "Saved" : "";
  }

  #update() {
    if (this.#closed) return;
    const file = this.#file;
    setText(this.#state, this.#stateText());
    this.#save.hidden = file.kind !== "text";
    this.#save.disabled = file.saving || !(file.isDirty || file.news === "deleted");
    this.#showNews(file.news);
    if (file.kind === "text") this.#showText();
    else if (file.kind !== this.#shownKind || file.source !== this.#shownText) this.#showOther();
  }

  async #showText() {
    if (this.#editor) {
      this.#editor.text = this.#file.text;
      return;
    }
    this.#shownKind = "text";
    this.#making ??= this.#makeEditor();
    await this.#making;
  }

  async #makeEditor() {
    const host = h("div", { class: "file-code" });
    this.#body.replaceChildren(host);
    const options = { name: this.#file.name, text: this.#file.text, readOnly: !this.#app.canWrite, onChange: (text) => this.#file.edit(text), onSave: () => this.save() };
    try {
      const editor = await CodeEditor.open(host, options);
      if (this.#closed || !host.isConnected) return editor.close();
      this.#editor = editor;
      editor.text = this.#file.text;
      this.#went();
    } catch {
      this.#body.replaceChildren(h("pre", { class: "file-plain", tabindex: 0 }, this.#file.text));
    }
    return undefined;
  }

  #showOther() {
    const file = this.#file;
    this.#shownKind = file.kind;
    this.#shownText = file.source;
    this.#editor?.close();
    this.#editor = this.#making = null;
    const note = (text) => h("div", { class: "empty dock-empty" }, icon("file"), h("p", {}, text), h("button", { type: "button", onclick: () => this.#download() }, "Download"));
    const views = {
      loading: () => h("p", { class: "empty", role: "status" }, "Loading…"),
      image: () => h("div", { class: "file-picture" }, h("img", { src: file.source, alt: file.name })),
      binary: () => note(`${size(file.size)} that are not text.`),
      big: () => note(`${size(file.size)} are too much to show here.`),
      failed: () => h("div", { class: "empty dock-empty" }, h("p", {}, file.problem ?? errorText(file.error)), h("button", { type: "button", onclick: () => file.load() }, "Try again")),
    };
    this.#body.replaceChildren(views[file.kind]());
  }

  #showNews(news) {
    if (this.#news.dataset.news === (news ?? "")) return;
    this.#news.dataset.news = news ?? "";
    this.#news.hidden = news === null;
    this.#difference.hidden = true;
    this.#news.replaceChildren(...(news ? [h("p", {}, NEWS[news]), h("div", { class: "buttons" }, this.#choices(news))] : []));
  }

  #choices(news) {
    const button = (label, run, look = "") => h("button", { type: "button", class: `small ${look}`, onclick: run }, label);
    if (news === "followed") return [button("OK", () => this.#file.dismiss())];
    const overwrite = button("Overwrite", () => this.save({ overwrite: true }), "danger");
    if (news === "deleted") return this.#app.canWrite ? [button("Put it back", () => this.save({ overwrite: true }))] : [];
    return [button("Show difference", () => this.#compare()), button("Reload", () => this.#reload()), overwrite];
  }

  #reload() {
    this.#file.load();
  }

  async #compare() {
    try {
      const theirs = await this.#file.theirs();
      const shown = theirs === null ? h("p", { class: "diff-none" }, "It is no text any more.") : differenceElement(theirs, this.#file.text);
      this.#difference.replaceChildren(h("p", { class: "hint" }, "From what is there now (−) to what you have here (+)"), shown);
      this.#difference.hidden = false;
    } catch (error) {
      this.#app.tell(errorText(error));
    }
  }

  async #download() {
    try {
      await download(this.#app.wire, this.#file.uri, this.#file.name);
    } catch (error) {
      this.#app.tell(errorText(error));
    }
  }
}
