// How are the session's files shown: the tree, what can be done in it, and beside or over it the file that is open?

import { ROOT } from "../../channels/root.js";
import { h, icon } from "../../dom.js";
import { download } from "../../files/transfer.js";
import { FileTree } from "../../files/tree.js";
import { childUri, isWithin, nameOf, parentUri, pathBelow, problemWith, shownName } from "../../files/uris.js";
import { errorText } from "../../words.js";
import { FileView } from "./file.js";
import { TreeView } from "./tree.js";
import { Uploads } from "./uploads.js";

export class Panel {
  #app;
  #tree;
  #view;
  #uploads;
  #file = null;
  #unsaved = h("p", { class: "unsaved", hidden: true });
  #empty = h("p", { class: "empty", role: "status" });
  #place = h("div", { class: "file-place" });

  constructor(app) {
    this.#app = app;
    this.#tree = new FileTree(app);
    this.#uploads = new Uploads(app);
    this.#view = new TreeView(this.#tree, {
      canWrite: app.canWrite,
      open: (uri) => this.open(uri),
      menu: (row) => this.#menu(row),
      rename: (row) => this.#rename(row),
      remove: (row) => this.#remove(row),
      drop: (files, directory) => this.#upload(files, directory),
    });
    this.#tree.addEventListener("change", () => this.#draw());
    this.#tree.addEventListener("touched", ({ detail }) => this.#touched(detail));
    const side = h("div", { class: "tree-side" }, this.#toolbar(), this.#unsaved, this.#uploads.element, this.#empty, this.#view.element);
    this.element = h("div", { class: "dock-panel files" }, side, this.#place);
  }

  #toolbar() {
    const button = (name, label, run) => h("button", { type: "button", class: "quiet round", "aria-label": label, title: label, onclick: run }, icon(name));
    const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to upload" });
    picker.addEventListener("change", () => {
      this.#upload([...picker.files], this.#tree.roots[0]);
      picker.value = "";
    });
    const writing = [
      button("newFile", "New file", () => this.#make(this.#tree.roots[0], "file")),
      button("newFolder", "New folder", () => this.#make(this.#tree.roots[0], "directory")),
      button("upload", "Upload files", () => picker.click()),
      picker,
    ];
    return h("div", { class: "dock-head" }, h("h2", {}, "Files"), this.#app.canWrite ? writing : [], button("refresh", "Look again", () => this.#tree.refresh()));
  }

  update({ workingDirectories = [], lifecycle }) {
    // Until the session is ready its directory is a name only.
    if (lifecycle !== "creating") this.#tree.show(workingDirectories);
    if (this.#tree.roots.length === 0) this.#empty.textContent = lifecycle === "creating" ? "The session is being prepared…" : "This session has no directory.";
  }

  shown() {
    this.#draw();
  }

  close() {
    this.#leave();
    this.#tree.close();
  }

  /** Show a file; `line` counts from 1. Somebody who has not saved another one keeps it. */
  open(uri, line) {
    if (this.#file?.file.uri !== uri) {
      this.#leave();
      this.#file = new FileView(this.#app, this.#app.files.open(uri), pathBelow(this.#tree.roots, uri), () => this.#closeFile());
      this.#file.file.addEventListener("change", () => this.#showUnsaved());
      this.#place.replaceChildren(this.#file.element);
      this.element.classList.add("has-file");
      this.#tree.reveal(uri);
    }
    if (line !== undefined) this.#file.goTo(line);
    this.#draw();
  }

  #draw() {
    const { loading, error, empty } = this.#tree.health;
    const text = loading ? "Loading…" : error ? errorText(error) : empty ? "Nothing is in here yet. Drop files here, or start a new one." : "";
    if (this.#tree.roots.length) this.#empty.textContent = text;
    this.#empty.hidden = this.#tree.roots.length > 0 && text === "";
    this.#view.update(this.#file?.file.uri);
    this.#showUnsaved();
  }

  #showUnsaved() {
    const others = this.#app.files.unsaved.filter(({ uri }) => uri !== this.#file?.file.uri && this.#tree.roots.some((root) => isWithin(root, uri)));
    this.#unsaved.hidden = others.length === 0;
    const links = others.flatMap((file) => [" ", h("button", { type: "button", class: "link", onclick: () => this.open(file.uri) }, file.name)]);
    this.#unsaved.replaceChildren("Not saved yet:", ...links);
  }

  /** The view goes; what is not saved stays with the page. */
  #leave() {
    this.#file?.close();
    this.#file = null;
    this.#place.replaceChildren();
    this.element?.classList.remove("has-file");
  }

  async #closeFile() {
    const { file } = this.#file;
    if (file.isDirty) {
      const choices = [{ value: "discard", label: "Don’t save", look: "danger" }, { value: "save", label: "Save", look: "primary" }];
      const answer = await this.#app.dialogs.choose(`Save ${file.name}?`, "What you typed is not saved yet.", choices);
      if (answer === null || (answer === "save" && !(await this.#file.save()))) return;
    }
    this.#app.files.forget(file.uri);
    this.#leave();
    this.#draw();
  }

  #touched(changes) {
    const open = this.#file?.file;
    if (open && (changes === null || changes.some(({ uri }) => uri === open.uri || isWithin(uri, open.uri)))) open.touched();
  }

  #menu(row) {
    const isDirectory = row.kind === "directory";
    const fetch = { label: "Download", run: () => this.#attempt(download(this.#app.wire, row.uri, nameOf(row.uri))) };
    const looking = isDirectory ? [] : [{ label: "Open", run: () => this.open(row.uri) }, fetch];
    if (!this.#app.canWrite) return looking;
    const inside = [
      { label: "New file…", run: () => this.#make(row.uri, "file") },
      { label: "New folder…", run: () => this.#make(row.uri, "directory") },
    ];
    const own = [
      { label: "Rename…", run: () => this.#rename(row) },
      { label: "Delete…", run: () => this.#remove(row), look: "danger-text" },
    ];
    return [...looking, ...(isDirectory ? inside : []), ...(this.#tree.roots.includes(row.uri) ? [] : own)];
  }

  async #make(directory, kind) {
    const title = kind === "file" ? "New file" : "New folder";
    const name = await this.#app.dialogs.ask(title, "Name", "", { verb: "Create", check: (text) => problemWith(text) ?? this.#taken(directory, text) });
    if (!name) return;
    const uri = childUri(directory, name);
    const made = kind === "file" ? this.#request("resourceWrite", { uri, data: "", encoding: "utf-8", createOnly: true }) : this.#request("resourceMkdir", { uri });
    if (!(await this.#attempt(made))) return;
    this.#tree.toggle(directory, true);
    if (kind === "file") this.open(uri);
  }

  async #rename(row) {
    const directory = parentUri(row.uri);
    const before = nameOf(row.uri);
    const check = (text) => problemWith(text) ?? (text === before ? undefined : this.#taken(directory, text));
    const name = await this.#app.dialogs.ask("Rename", "New name", before, { verb: "Rename", check });
    if (!name || name === before) return;
    const destination = childUri(directory, name);
    if (!(await this.#attempt(this.#request("resourceMove", { source: row.uri, destination, failIfExists: true })))) return;
    const open = this.#file?.file;
    await this.#tree.relist(directory);
    if (open?.uri === row.uri && !open.isDirty) this.open(destination);
  }

  async #remove(row) {
    const isDirectory = row.kind === "directory";
    const text = isDirectory ? "Everything in it goes, too. This cannot be undone." : "This cannot be undone.";
    if (!(await this.#app.dialogs.confirm(`Delete ${shownName(row.uri)}?`, text, "Delete"))) return;
    if (!(await this.#attempt(this.#request("resourceDelete", { uri: row.uri, recursive: isDirectory })))) return;
    await this.#tree.relist(parentUri(row.uri));
  }

  #taken(directory, name) {
    return this.#tree.names(directory).includes(name) ? "Something of this name is there already." : undefined;
  }

  async #upload(files, directory) {
    if (!files.length || !directory) return;
    this.#tree.toggle(directory, true);
    await this.#uploads.add(files, directory);
    this.#tree.relist(directory);
  }

  #request(method, params) {
    return this.#app.wire.request(method, { channel: ROOT, ...params });
  }

  /** True where it worked; what did not is told. */
  async #attempt(request) {
    try {
      await request;
      return true;
    } catch (error) {
      this.#app.tell(errorText(error));
      return false;
    }
  }
}
