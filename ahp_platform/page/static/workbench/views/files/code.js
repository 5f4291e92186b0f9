// How is text edited? CodeMirror, loaded with the first file. It lives in a shadow root, where it takes constructed stylesheets, which the
// page's policy allows, in place of style elements, which it does not.

import { h } from "../../dom.js";

const VENDOR = "../../vendor/codemirror";
const LANGUAGES = [
  [/\.(m?jsx?|cjs)$/i, async () => (await import(`${VENDOR}/codemirror-lang-javascript.js`)).javascript({ jsx: true })],
  [/\.(m|c)?tsx?$/i, async () => (await import(`${VENDOR}/codemirror-lang-javascript.js`)).javascript({ jsx: true, typescript: true })],
  [/\.pyi?$/i, async () => (await import(`${VENDOR}/codemirror-lang-python.js`)).python()],
  [/\.(json|webmanifest)$/i, async () => (await import(`${VENDOR}/codemirror-lang-json.js`)).json()],
  [/\.(css|scss|less)$/i, async () => (await import(`${VENDOR}/codemirror-lang-css.js`)).css()],
  [/\.(html?|svg|xml|vue)$/i, async () => (await import(`${VENDOR}/codemirror-lang-html.js`)).html()],
  [/\.(md|markdown)$/i, async () => (await import(`${VENDOR}/codemirror-lang-markdown.js`)).markdown()],
];
// Beyond this, colouring would make typing slow.
const LARGEST_COLOURED = 1024 * 1024;

let loading = null;

function load() {
  const names = ["state", "view", "commands", "language", "search"];
  loading ??= Promise.all([...names.map((name) => import(`${VENDOR}/codemirror-${name}.js`)), import(`${VENDOR}/lezer-highlight.js`)]).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

function look(EditorView) {
  return EditorView.theme({
    "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--text)" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--accent)", padding: "0.5rem 0" },
    ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "0" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line-active)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
    ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--found)" },
    ".cm-searchMatch-selected": { outline: "1px solid var(--accent)" },
    ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--found)", outline: "none" },
    ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)", borderColor: "var(--line)" },
    ".cm-textfield, .cm-button": { backgroundColor: "var(--surface)", backgroundImage: "none", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
    ".cm-specialChar": { color: "var(--danger)" },
    ".cm-shown-line": { backgroundColor: "var(--accent-soft)" },
  });
}

function colours(HighlightStyle, tags) {
  const paint = (names, colour, more = {}) => ({ tag: names.map((name) => tags[name]), color: `var(--code-${colour})`, ...more });
  return HighlightStyle.define([
    paint(["keyword", "modifier", "operatorKeyword", "controlKeyword", "definitionKeyword", "moduleKeyword", "self"], "keyword"),
    paint(["string", "special", "regexp", "character", "attributeValue"].filter((name) => typeof tags[name] !== "function"), "string"),
    paint(["comment", "lineComment", "blockComment", "docComment"], "comment", { fontStyle: "italic" }),
    paint(["number", "bool", "null", "atom", "unit", "color"], "number"),
    paint(["typeName", "className", "namespace", "tagName"], "type"),
    paint(["propertyName", "attributeName", "labelName"], "property"),
    { tag: tags.heading, fontWeight: "700" },
    { tag: tags.strong, fontWeight: "700" },
    { tag: tags.emphasis, fontStyle: "italic" },
    paint(["link", "url"], "string", { textDecoration: "underline" }),
    { tag: tags.invalid, color: "var(--danger)" },
  ]);
}

export class CodeEditor {
  #view;
  #setText = false;
  #modules;

  /** Resolves with an editor in `host`. `options`: {name, text, readOnly, onChange(text), onSave()}. */
  static async open(host, options) {
    const [modules, language] = await Promise.all([load(), languageOf(options)]);
    return new CodeEditor(host, options, modules, language);
  }

  constructor(host, { name, text, readOnly, onChange, onSave }, modules, language) {
    const [{ EditorState }, { EditorView, ...view }, commands, { HighlightStyle, ...syntax }, search, { tags }] = modules;
    this.#modules = modules;
    const keys = [{ key: "Mod-s", preventDefault: true, run: () => onSave() || true }, ...commands.defaultKeymap, ...commands.historyKeymap, ...search.searchKeymap];
    const extensions = [
      [view.lineNumbers(), view.highlightSpecialChars(), view.drawSelection(), view.highlightActiveLine(), view.highlightActiveLineGutter()],
      [commands.history(), syntax.indentOnInput(), syntax.bracketMatching(), search.search({ top: true }), search.highlightSelectionMatches()],
      [syntax.syntaxHighlighting(colours(HighlightStyle, tags)), look(EditorView), view.keymap.of(keys), language ?? []],
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": readOnly ? `Text of ${name}` : `Edit ${name}` }),
      EditorView.updateListener.of((update) => update.docChanged && !this.#setText && onChange(update.state.doc.toString())),
    ];
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    root.replaceChildren(h("div", { part: "editor" }));
    root.firstChild.style.height = "100%";
    this.#view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root.firstChild, root });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  /** Another text, with the cursor and the scrolling where they were as far as that goes. */
  set text(text) {
    if (text === this.text) return;
    const cursor = Math.min(this.#view.state.selection.main.head, text.length);
    const { scrollTop } = this.#view.scrollDOM;
    this.#setText = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, selection: { anchor: cursor } });
    this.#setText = false;
    this.#view.scrollDOM.scrollTop = scrollTop;
  }

  /** Put the cursor on a line, counted from 1, and have it in the middle. */
  goTo(number) {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(1, number), doc.lines));
    const [, { EditorView }] = this.#modules;
    this.#view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  }

  focus() {
    this.#view.focus();
  }

  close() {
    this.#view.destroy();
  }
}

function languageOf({ name, text }) {
  if (text.length > LARGEST_COLOURED) return null;
  return LANGUAGES.find(([pattern]) => pattern.test(name))?.[1]() ?? null;
}
