// How do messages get to the host and back? One socket with JSON-RPC on it, which reconnects for as long as it is wanted.
//
// The wire knows no channel. It introduces itself through `greet`, which the replicas provide: `initialize` the first time, `reconnect`
// after a break. Only then is it "open" and lets other requests pass.

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 15_000;
const PING_EVERY_MS = 20_000;
const PING_PATIENCE_MS = 10_000;
const ROOT = "ahp-root://";

export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class ConnectionLost extends Error {
  constructor() {
    super("The connection was lost before the answer came.");
  }
}

/**
 * Events: "state" (detail: connecting | open | waiting | closed), "message" (detail: {method, params}), "refused" (detail: close code or
 * RpcError) and "failing" (several attempts in a row).
 */
export class Wire extends EventTarget {
  #url;
  #greet;
  #socket = null;
  #lastId = 0;
  #replies = new Map();
  #failures = 0;
  #retry = 0;
  #ping = 0;
  #wanted = false;
  state = "closed";

  constructor(url, greet) {
    super();
    this.#url = url;
    this.#greet = greet;
    this.wake = this.wake.bind(this);
  }

  open() {
    this.#wanted = true;
    window.addEventListener("online", this.wake);
    this.#connect();
  }

  close() {
    this.#wanted = false;
    window.removeEventListener("online", this.wake);
    clearTimeout(this.#retry);
    this.#socket?.close(1000);
    this.#become("closed");
  }

  /** Try again at once instead of waiting for the next attempt. */
  wake() {
    if (this.state !== "waiting") return;
    clearTimeout(this.#retry);
    this.#connect();
  }

  /** Resolves with the result; rejects with RpcError, or ConnectionLost when the answer can no longer come. */
  request(method, params) {
    if (this.state !== "open") return Promise.reject(new ConnectionLost());
    return this.#send(method, params);
  }

  /** False where there is no connection to send it on. */
  notify(method, params) {
    if (this.state !== "open") return false;
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    return true;
  }

  #send(method, params) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#replies.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #connect() {
    this.#become("connecting");
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#introduce(socket));
    socket.addEventListener("message", (event) => this.#received(socket, JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#lost(socket, event.code));
  }

  async #introduce(socket) {
    try {
      const ready = await this.#greet((method, params) => this.#send(method, params));
      if (socket !== this.#socket) return;
      this.#failures = 0;
      this.#become("open");
      this.#ping = setInterval(() => this.#checkAlive(socket), PING_EVERY_MS);
      ready();
    } catch (error) {
      if (error instanceof RpcError) this.#refuse(error);
      socket.close(1000);
    }
  }

  #received(socket, message) {
    if (socket !== this.#socket) return;
    if (message.method === undefined) return this.#answered(message);
    if (message.id === undefined) return this.dispatchEvent(new CustomEvent("message", { detail: message }));
    // A host may ask clients for files or tools; this page offers none.
    const error = { code: -32601, message: "This page answers no requests." };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
  }

  #answered({ id, result, error }) {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    if (error) reply?.reject(new RpcError(error));
    else reply?.resolve(result);
  }

  #checkAlive(socket) {
    const patience = setTimeout(() => this.#lost(socket, 1006), PING_PATIENCE_MS);
    this.#send("ping", { channel: ROOT }).finally(() => clearTimeout(patience)).catch(() => {});
  }

  #lost(socket, code) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    socket.close();
    clearInterval(this.#ping);
    for (const { reject } of this.#replies.values()) reject(new ConnectionLost());
    this.#replies.clear();
    if (code >= 4400) this.#refuse(code);
    if (!this.#wanted) return;
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++);
    // Half of it at random, or everybody returns to a restarted host in the same instant.
    this.#retry = setTimeout(() => this.#connect(), longest * (0.5 + Math.random() / 2));
    this.#become("waiting");
    // A refused handshake looks like any other failure; only whoever holds the login can tell.
    if (this.#failures > 1) this.dispatchEvent(new CustomEvent("failing"));
  }

  #refuse(detail) {
    this.dispatchEvent(new CustomEvent("refused", { detail }));
  }
}
