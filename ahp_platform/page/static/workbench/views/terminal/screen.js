// What does a terminal look like? xterm.js, loaded when the first one is opened, in the page's colours.

import { h } from "../../dom.js";
import { strictDocument } from "./strict_document.js";

const SCROLLBACK = 5000;
const DARK = matchMedia("(prefers-color-scheme: dark)");
// Readable on the page's own ground; where a program picks something fainter, xterm raises the contrast.
const ANSI = {
  light: ["#3b3833", "#ae3530", "#2c7a46", "#96620a", "#2f5f9e", "#7a4b9c", "#1f6f6b", "#8b857a", "#5f5a52", "#c4443e", "#358c53", "#ad7413", "#3b70b5", "#8d5bb0", "#28827d", "#23211d"],
  dark: ["#35332f", "#f0938c", "#79c692", "#e5b45c", "#85b4ec", "#c9a0e8", "#6cc4bd", "#cfc9be", "#8b857b", "#f7aaa4", "#93d7a9", "#efc77e", "#a2c8f5", "#d9b8f1", "#8ad6d0", "#f2efe9"],
};
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const QUESTIONS = {
  csi: [
    ...["", ">", "="].map((prefix) => ({ prefix, final: "c" })),
    ...["", "?"].map((prefix) => ({ prefix, final: "n" })),
    ...["", "?"].map((prefix) => ({ prefix, intermediates: "$", final: "p" })),
  ],
  osc: [4, 10, 11, 12],
  dcs: { intermediates: "$", final: "q" },
};

let loading = null;

function load() {
  loading ??= Promise.all([import("../../vendor/xterm/xterm.js"), import("../../vendor/xterm/addon-fit.js"), stylesheet()]).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

function stylesheet() {
  return new Promise((resolve, reject) => {
    const href = new URL("../../vendor/xterm/xterm.css", import.meta.url).href;
    document.head.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: reject }));
  });
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(name).trim();
  const ansi = ANSI[DARK.matches ? "dark" : "light"];
  const colours = Object.fromEntries(NAMES.flatMap((name, at) => [[name, ansi[at]], [`bright${name[0].toUpperCase()}${name.slice(1)}`, ansi[at + 8]]]));
  const selected = DARK.matches ? "#3d5654" : "#bcdad7";
  return { background: token("--surface"), foreground: token("--text"), cursor: token("--accent"), selectionBackground: selected, ...colours };
}

export class Screen {
  #terminal;
  #fit;
  #asked = false;
  #replaying = 0;
  #marks = new Map();
  #observer;

  /** `onTyped(text)`: what the person types; `onAnswer(text)`: what the terminal itself answers to a program that asks it something. */
  static async open(element, options) {
    const [{ Terminal }, { FitAddon }] = await load();
    return new Screen(element, options, Terminal, FitAddon);
  }

  constructor(element, { cols = 80, rows = 24, label, onTyped, onAnswer, onLink, onRoom }, Terminal, FitAddon) {
    this.#terminal = new Terminal({
      cols,
      rows,
      allowProposedApi: true,
      documentOverride: strictDocument,
      scrollback: SCROLLBACK,
      minimumContrastRatio: 4.5,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
      fontSize: 13,
      theme: theme(),
      linkHandler: { activate: (_, uri) => onLink?.(uri) },
    });
    this.#fit = new FitAddon();
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.open(element);
    this.#terminal.textarea.setAttribute("aria-label", label);
    this.#noticeQuestions();
    this.#terminal.onData((text) => {
      if (!this.#asked) onTyped?.(text);
      else if (!this.#replaying) onAnswer?.(text);
    });
    DARK.addEventListener("change", this.#recolour);
    this.#observer = new ResizeObserver(() => onRoom?.());
    this.#observer.observe(element);
  }

  /** A program's question is answered while it is parsed, so whatever comes out in that very moment was not typed. */
  #noticeQuestions() {
    const asked = () => {
      this.#asked = true;
      queueMicrotask(() => (this.#asked = false));
      return false;
    };
    for (const id of QUESTIONS.csi) this.#terminal.parser.registerCsiHandler(id, asked);
    for (const id of QUESTIONS.osc) this.#terminal.parser.registerOscHandler(id, asked);
    this.#terminal.parser.registerDcsHandler(QUESTIONS.dcs, asked);
  }

  #recolour = () => {
    this.#terminal.options.theme = theme();
  };

  get isFocused() {
    return document.hasFocus() && this.#terminal.textarea === document.activeElement;
  }

  focus() {
    this.#terminal.focus();
  }

  set readOnly(is) {
    this.#terminal.options.disableStdin = is;
    this.#terminal.options.cursorBlink = !is;
  }

  /** All that there is, in place of what is shown: [{type, output | value, …}]. */
  replay(content) {
    this.#terminal.reset();
    this.#marks.clear();
    this.#replaying += 1;
    for (const part of content) {
      if (part.type === "command") this.begin(part);
      this.write(part.type === "command" ? part.output : part.value);
      if (part.type === "command" && part.isComplete) this.end(part);
    }
    this.#terminal.write("", () => (this.#replaying -= 1));
  }

  write(text) {
    this.#terminal.write(text);
  }

  clear() {
    this.#terminal.clear();
  }

  /** The line of a command gets a mark in the gutter, which tells how it ended. */
  begin({ commandId, commandLine }) {
    this.#terminal.write("", () => {
      const marker = this.#terminal.registerMarker(-1);
      const decoration = marker && this.#terminal.registerDecoration({ marker, width: 1 });
      const mark = { commandLine, element: null };
      decoration?.onRender((element) => {
        mark.element = element;
        dress(mark);
      });
      this.#marks.set(commandId, mark);
    });
  }

  end({ commandId, exitCode }) {
    this.#terminal.write("", () => {
      const mark = this.#marks.get(commandId);
      if (!mark) return;
      mark.exitCode = exitCode ?? null;
      dress(mark);
    });
  }

  resize(cols, rows) {
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows) this.#terminal.resize(cols, rows);
  }

  /** {cols, rows} that would fill the element, or undefined while it is not shown. */
  get room() {
    const size = this.#fit.proposeDimensions();
    return size && size.cols > 1 && size.rows > 1 ? size : undefined;
  }

  close() {
    this.#observer.disconnect();
    DARK.removeEventListener("change", this.#recolour);
    this.#terminal.dispose();
  }
}

function dress({ element, commandLine, exitCode }) {
  if (!element) return;
  const how = exitCode === undefined ? "running" : exitCode === 0 ? "done" : "failed";
  element.classList.add("command-mark");
  element.dataset.state = how;
  const told = { running: "runs", done: "ended well", failed: `ended with exit code ${exitCode ?? "unknown"}` };
  element.title = `${commandLine}: ${told[how]}`;
}
