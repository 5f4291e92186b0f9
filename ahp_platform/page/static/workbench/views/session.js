// How is one session shown? Its head with people and menu, its chats as tabs, and the chat that is open.

import { agentNamed, ROOT } from "../channels/root.js";
import { firstChat } from "../channels/session.js";
import { activityOf, ACTIVITY_TEXT } from "../channels/status.js";
import { h, icon, KeyedList, setText } from "../dom.js";
import { newId } from "../ids.js";
import { chatNames, titleOf } from "../words.js";
import { ChatView } from "./chat.js";
import { Dock } from "./dock.js";
import { People } from "./people.js";
import { sessionMenu } from "./session_menu.js";

export class SessionView {
  #app;
  #views = new Map();
  #tabs;
  #openChat = null;

  constructor(app, uri) {
    this.#app = app;
    this.uri = uri;
    this.#build();
    this.#tabs = new KeyedList(this.tabList, (tab) => tab.chat.resource, (tab) => new Tab((chat) => this.showChat(chat), tab.chat));
  }

  #build() {
    this.title = h("h1", { tabindex: -1 });
    this.about = h("p", { class: "about" });
    this.people = new People(this.#app.replicas.clientId);
    const back = h("button", { type: "button", class: "quiet round back", "aria-label": "Back to the sessions", onclick: () => this.#app.leave() }, icon("back"));
    const menu = this.#app.canWrite ? sessionMenu(this.#app, this.uri) : null;
    this.menu = menu;
    this.tabList = h("div", { class: "tabs", role: "tablist", "aria-label": "Chats" });
    this.tabList.addEventListener("keydown", (event) => this.#tabKey(event));
    this.addChat = h("button", { type: "button", class: "quiet round", "aria-label": "New chat", title: "New chat", onclick: () => this.#newChat() }, icon("plus"));
    this.dock = new Dock(this.#app, this.uri);
    this.tabRow = h("div", { class: "tab-row" }, this.tabList, this.addChat, this.dock.buttons);
    this.status = h("p", { class: "session-status", role: "status" });
    this.panel = h("div", { class: "panel", role: "tabpanel" });
    const head = h("header", { class: "session-head" }, back, h("div", { class: "session-name" }, this.title, this.about), this.people.element, menu?.element);
    const body = h("div", { class: "session-body" }, this.panel, this.dock.splitter, this.dock.element);
    this.element = h("section", { class: "session", "aria-label": "Session" }, head, this.tabRow, this.status, body);
  }

  update() {
    const state = this.#app.replicas.state(this.uri);
    if (!state) return;
    setText(this.title, titleOf(state));
    setText(this.about, this.#aboutText(state));
    document.title = `${titleOf(state)} · Agent workbench`;
    this.people.update(state.activeClients);
    this.menu?.update(state);
    this.#showStatus(state);
    this.#showTabs(state);
    this.dock.update(state);
    this.#views.get(this.#openChat)?.update(this.#app.replicas.state(this.#openChat));
  }

  #aboutText({ provider, config }) {
    const agent = agentNamed(this.#app.replicas.state(ROOT), provider)?.displayName ?? provider;
    const visibility = config && seenBy(config.values);
    return visibility ? `${agent} · ${visibility}` : agent;
  }

  #showStatus({ lifecycle, creationError, activity }) {
    const texts = {
      creating: this.#app.progressText(this.uri) ?? "The session is being prepared…",
      creationFailed: `The session could not be started. ${creationError?.message ?? ""}`,
    };
    const text = texts[lifecycle] ?? activity ?? "";
    setText(this.status, text);
    this.status.hidden = text === "";
    this.status.classList.toggle("failed", lifecycle === "creationFailed");
  }

  #showTabs(state) {
    const chats = state.chats.filter((chat) => chat.interactivity !== "hidden");
    if (!chats.some((chat) => chat.resource === this.#openChat)) this.showChat(firstChat(state));
    const names = chatNames(chats, state.defaultChat);
    this.#tabs.update(chats.map((chat, index) => ({ chat, name: names[index], open: chat.resource === this.#openChat })));
    const agent = agentNamed(this.#app.replicas.state(ROOT), state.provider);
    this.addChat.hidden = !this.#app.canWrite || !agent?.capabilities?.multipleChats;
  }

  async showChat(uri) {
    this.dock.makeRoom();
    if (!uri || uri === this.#openChat) return;
    this.#openChat = uri;
    this.panel.replaceChildren();
    const replica = await this.#app.openChat(uri);
    if (!replica || uri !== this.#openChat) return;
    if (!this.#views.has(uri)) this.#views.set(uri, new ChatView(this.#app, this.uri, uri));
    const view = this.#views.get(uri);
    this.panel.replaceChildren(view.element);
    view.update(replica.state);
    this.#app.changed();
    view.shown();
  }

  /** A chat that could not be opened is tried again when the connection is back. */
  forget(uri) {
    this.#views.delete(uri);
    if (this.#openChat === uri) this.#openChat = null;
  }

  close() {
    this.dock.close();
    for (const uri of this.#views.keys()) this.#app.replicas.close(uri);
    this.#app.replicas.close(this.uri);
  }

  async #newChat() {
    const chat = `ahp-chat:/${newId()}`;
    const made = await this.#app.ask("createChat", { channel: this.uri, chat });
    if (made !== undefined) await this.showChat(chat);
  }

  #tabKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const tabs = [...this.tabList.children];
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }
}

function seenBy({ visibility, members = [] }) {
  if (visibility !== "private") return visibility === "tenant" ? "Everybody here" : undefined;
  if (!members.length) return "Only you";
  return members.length > 2 ? `Shared with ${members.length} people` : `Shared with ${members.join(" and ")}`;
}

class Tab {
  #dot = h("span", { class: "dot" });
  #name = h("span", {});
  #state = h("span", { class: "visually-hidden" });

  constructor(show, { resource }) {
    this.element = h("button", { type: "button", role: "tab", onclick: () => show(resource) }, this.#dot, this.#name, this.#state);
  }

  update({ chat, name, open }) {
    const activity = activityOf(chat.status);
    this.#dot.dataset.activity = activity;
    setText(this.#name, name);
    setText(this.#state, `, ${ACTIVITY_TEXT[activity]}`);
    this.element.setAttribute("aria-selected", String(open));
    this.element.tabIndex = open ? 0 : -1;
  }
}
