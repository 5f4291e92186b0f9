// What is open in this page? One tenant's connection, the session that is shown, and what the views may ask for.

import { reduceChat } from "./channels/chat.js";
import { reduceRoot } from "./channels/root.js";
import { firstChat, reduceSession } from "./channels/session.js";
import { account } from "./account.js";
import { OpenFiles } from "./files/open_files.js";
import { newId } from "./ids.js";
import { Replicas } from "./replicas.js";
import { linkTo, routeOf } from "./route.js";
import { Sessions } from "./sessions.js";
import { userMessage } from "./views/composer.js";
import { dressed } from "./views/dock.js";
import { SessionView } from "./views/session.js";
import { ConnectionLost, RpcError, Wire } from "./wire.js";
import { errorText, nameFrom } from "./words.js";

const TURNS_SHOWN = 50;
const INTERNAL_ERROR = -32603;
const WRITERS = ["owner", "operator", "member"];

/** With its stylesheet; nothing of it is loaded before the first terminal is shown. */
async function loadTerminals() {
  const [module] = await Promise.all([import("./views/terminal/view.js"), dressed()]);
  return module;
}

export class App {
  #page;
  #view = null;
  #opening = null;
  #frame = 0;
  #firstMessages = new Map();
  #unnamed = new Set();
  #progress = new Map();

  /** Which model was chosen for a session before anything was said in it. */
  models = new Map();

  /** `page`: what app.js does not build itself: {main, list, newSession, showPlaceholder, notices, dialogs, connection}. */
  constructor(page, { username, tenant, clientId }) {
    this.#page = page;
    this.username = username;
    this.tenant = tenant;
    this.canWrite = WRITERS.includes(tenant.role);
    this.dialogs = page.dialogs;
    this.replicas = new Replicas(clientId);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.wire = new Wire(`${scheme}://${location.host}/ahp/${encodeURIComponent(tenant.slug)}`, this.replicas.greet);
    this.replicas.attach(this.wire, reduceRoot);
    this.sessions = new Sessions(this.replicas, this.wire);
    this.files = new OpenFiles(this.wire);
    this.#listen();
  }

  #listen() {
    this.wire.addEventListener("state", ({ detail }) => this.#page.connection.update(detail));
    this.wire.addEventListener("failing", () => account().catch(() => {}));
    this.wire.addEventListener("refused", ({ detail }) => this.#refused(detail));
    this.replicas.addEventListener("ready", () => this.#ready());
    this.replicas.addEventListener("change", () => this.changed());
    this.replicas.addEventListener("gone", ({ detail }) => this.#gone(detail));
    this.replicas.addEventListener("rejected", ({ detail }) => this.#page.notices.show(`Not done: ${detail.reason}`));
    this.replicas.addEventListener("root/progress", ({ detail }) => this.#progressed(detail));
    this.replicas.addEventListener("root/sessionRemoved", ({ detail }) => this.#gone(detail.session));
    this.sessions.addEventListener("change", () => this.changed());
    window.addEventListener("hashchange", () => this.#route());
  }

  get openUri() {
    return routeOf(location.hash)?.session;
  }

  start() {
    this.wire.open();
  }

  /** Something changed: draw once in the next frame, however much it was. */
  changed() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#page.list?.update();
      this.#page.newSession?.update();
      this.#sendFirstMessage();
      this.#view?.update();
    });
  }

  /** Something that did not work, on the screen. */
  tell(text) {
    this.#page.notices.show(text);
  }

  announce(text) {
    this.#page.notices.announce(text);
  }

  /** A request whose failure is told to the person; undefined then. */
  async ask(method, params) {
    try {
      return await this.wire.request(method, params);
    } catch (error) {
      this.#page.notices.show(errorText(error));
      return undefined;
    }
  }

  loadMoreSessions() {
    return this.sessions.loadMore().catch((error) => this.#page.notices.show(errorText(error)));
  }

  /** `params` of createSession; `said`: {text, model} of a first message. */
  async startSession(params, { text, model }) {
    const uri = `ahp-session:/${newId()}`;
    const progressToken = newId();
    this.#progress.set(uri, { token: progressToken });
    this.#unnamed.add(uri);
    if (text) this.#firstMessages.set(uri, userMessage(text, { model }));
    else if (model) this.models.set(uri, model);
    await this.wire.request("createSession", { channel: uri, activeClient: this.#activeClient(), progressToken, ...params });
    location.hash = linkTo(this.tenant.slug, uri);
  }

  async openChat(uri) {
    try {
      return await this.replicas.open(uri, reduceChat, { view: { turns: TURNS_SHOWN } });
    } catch (error) {
      // Tried again when the connection is back; what the host refused it would refuse again.
      if (error instanceof ConnectionLost) this.#view?.forget(uri);
      else this.#page.notices.show(errorText(error));
      return undefined;
    }
  }

  /** Start a turn. A session that was started here is named after the first thing said in it. */
  say(session, chat, message) {
    const turn = { turnId: newId(), startedAt: new Date().toISOString(), message };
    this.replicas.dispatch(chat, { type: "chat/turnStarted", ...turn });
    if (this.#unnamed.delete(session)) this.replicas.dispatch(session, { type: "session/titleChanged", title: nameFrom(message.text) });
  }

  showChat(uri) {
    this.#view?.showChat(uri);
  }

  /** Beside the conversation; `line` counts from 1. */
  async openFile(uri, line) {
    (await this.#view?.dock.show("files"))?.open(uri, line);
  }

  /** A small view of a terminal that runs, for a tool call's card; {element, close()}. */
  async liveTerminal(uri) {
    const { TerminalView } = await loadTerminals();
    return new TerminalView(this, uri, { compact: true });
  }

  async openTerminal(uri, title) {
    (await this.#view?.dock.show("terminal"))?.showOther(uri, title);
  }

  progressText(uri) {
    return this.#progress.get(uri)?.text;
  }

  /** Back to the list. */
  leave() {
    location.hash = linkTo(this.tenant.slug);
  }

  async #ready() {
    this.#route();
    this.changed();
    await this.sessions.load().catch(() => {});
  }

  async #route() {
    const route = routeOf(location.hash);
    if (!route) return;
    if (route.tenant && route.tenant !== this.tenant.slug) return location.reload();
    document.body.dataset.pane = route.session ? "session" : "list";
    this.changed();
    if (this.#view && this.#view.uri === route.session && this.replicas.get(route.session)) return;
    this.#leaveView();
    if (route.session) await this.#open(route.session);
    else this.#page.showPlaceholder();
  }

  async #open(uri) {
    if (this.#opening === uri || this.wire.state !== "open") return;
    this.#opening = uri;
    try {
      const replica = await this.replicas.open(uri, reduceSession);
      if (this.openUri !== uri) return this.replicas.close(uri);
      this.#show(uri, replica);
    } catch (error) {
      if (error instanceof RpcError && this.openUri === uri) this.#page.showPlaceholder(errorText(error));
    } finally {
      this.#opening = null;
    }
  }

  #show(uri, { state }) {
    this.#view = new SessionView(this, uri);
    this.#page.main.replaceChildren(this.#view.element);
    this.changed();
    const known = state.activeClients.some(({ clientId }) => clientId === this.replicas.clientId);
    if (this.canWrite && !known) this.replicas.dispatch(uri, { type: "session/activeClientSet", activeClient: this.#activeClient() });
  }

  #leaveView() {
    this.#view?.close();
    this.#view = null;
    document.title = "Agent workbench";
  }

  #activeClient() {
    return { clientId: this.replicas.clientId, displayName: this.username, tools: [] };
  }

  /** What was typed when the session was started, as soon as its first chat can hear it. */
  #sendFirstMessage() {
    for (const [uri, message] of this.#firstMessages) {
      const state = this.replicas.state(uri);
      const chat = state?.lifecycle === "ready" && firstChat(state);
      if (!chat || !this.replicas.get(chat)) continue;
      this.#firstMessages.delete(uri);
      this.say(uri, chat, message);
    }
  }

  #gone(uri) {
    this.#view?.forget(uri);
    if (this.#view?.uri !== uri) return this.changed();
    this.#leaveView();
    this.#page.showPlaceholder("This session has ended.");
    return this.changed();
  }

  #progressed({ progressToken, progress, total, message }) {
    for (const [uri, known] of this.#progress) {
      if (known.token !== progressToken) continue;
      const share = total ? ` ${Math.round((100 * progress) / total)} %` : "";
      this.#progress.set(uri, { ...known, text: `${message ?? "The session is being prepared…"}${share}` });
    }
    this.changed();
  }

  #refused(detail) {
    // An ailing host is no refusal: the next attempt may do.
    if (detail.code === INTERNAL_ERROR) return undefined;
    if (detail instanceof RpcError) return this.#page.notices.show(errorText(detail));
    // 4401, 4403: the login or the membership has ended. Asking who we are leads to the login page where that is so.
    return account().then(({ tenants }) => {
      if (!tenants.some(({ slug }) => slug === this.tenant.slug)) location.assign("/");
    });
  }
}
