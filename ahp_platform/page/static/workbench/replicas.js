// What does the host's state look like here? A replica per subscribed channel: the confirmed state, and on top of it the actions of
// our own that the host has not answered yet. A refused action simply drops out of the second.

import { newId } from "./ids.js";
import { ROOT } from "./channels/root.js";
import { RpcError } from "./wire.js";

// After a reconnect with snapshots, actions are sent again; one that the host already has is not answered a second time.
const RESENT_PATIENCE_MS = 5_000;
const CLIENT_ID_TAKEN = -32009;

class Replica {
  #reduce;
  #shown;
  pending = [];

  constructor(uri, reduce, state) {
    this.uri = uri;
    this.#reduce = reduce;
    this.confirmed = state;
  }

  /** The state with our own unanswered actions applied; the same object until something changes. */
  get state() {
    this.#shown ??= this.pending.reduce((state, { action }) => this.#reduce(state, action, Date.now()), this.confirmed);
    return this.#shown;
  }

  apply(action) {
    this.reset(this.#reduce(this.confirmed, action, Date.now()));
  }

  reset(state) {
    this.confirmed = state;
    this.#shown = undefined;
  }

  expect(clientSeq, action) {
    this.pending.push({ clientSeq, action });
    this.#shown = undefined;
  }

  settle(clientSeq) {
    const kept = this.pending.filter((sent) => sent.clientSeq !== clientSeq);
    const known = kept.length < this.pending.length;
    this.pending = kept;
    this.#shown = undefined;
    return known;
  }
}

/**
 * Events: "change" (detail: uri), "gone" (detail: uri), "rejected" (detail: {uri, action, reason}), "ready", and notifications by method.
 * For views that follow a stream rather than a state: "applied" (detail: {uri, action, clientId}), and "reset" (detail: uri) where a snapshot came
 * in place of actions.
 */
export class Replicas extends EventTarget {
  #wire;
  #held = new Map();
  #clientSeq = 0;
  #lastSeen = 0;
  #introduced = false;

  constructor(clientId) {
    super();
    this.clientId = clientId;
    this.greet = this.greet.bind(this);
  }

  attach(wire, reduceRoot) {
    this.#wire = wire;
    this.#held.set(ROOT, new Replica(ROOT, reduceRoot, { agents: [] }));
    wire.addEventListener("message", ({ detail }) => this.#heard(detail));
  }

  get(uri) {
    return this.#held.get(uri);
  }

  state(uri) {
    return this.#held.get(uri)?.state;
  }

  /** Subscribe; resolves with the replica. A channel already held is given as it is. */
  async open(uri, reduce, options = {}) {
    if (this.#held.has(uri)) return this.#held.get(uri);
    const { snapshot } = await this.#wire.request("subscribe", { channel: uri, ...options });
    const replica = new Replica(uri, reduce, snapshot.state);
    this.#held.set(uri, replica);
    this.#changed(uri);
    return replica;
  }

  close(uri) {
    if (this.#held.delete(uri)) this.#wire.notify("unsubscribe", { channel: uri });
  }

  /** Apply the action here at once and send it; sent again after a break until the host has answered. */
  dispatch(uri, action) {
    const clientSeq = ++this.#clientSeq;
    this.#held.get(uri)?.expect(clientSeq, action);
    this.#wire.notify("dispatchAction", { channel: uri, clientSeq, action });
    this.#changed(uri);
  }

  /** The wire's introduction: who we are, and what we hold. Returns what is to happen once the wire is open. */
  async greet(send) {
    if (!this.#introduced) {
      await this.#initialize(send);
      this.#introduced = true;
      return () => this.dispatchEvent(new CustomEvent("ready"));
    }
    const held = [...this.#held.keys()];
    const params = { channel: ROOT, clientId: this.clientId, lastSeenServerSeq: this.#lastSeen, subscriptions: held };
    const result = await send("reconnect", params);
    if (result.type === "replay") this.#replayed(result);
    else this.#replaced(result, held);
    return () => {
      this.#sendAgain(result.type === "snapshot");
      this.dispatchEvent(new CustomEvent("ready"));
    };
  }

  async #initialize(send) {
    const clientInfo = { name: "ahp-workbench", title: "Workbench" };
    const rest = { protocolVersions: ["0.7.0"], clientInfo, initialSubscriptions: [ROOT], locale: navigator.language };
    const ask = () => send("initialize", { channel: ROOT, clientId: this.clientId, ...rest });
    const result = await ask().catch((error) => {
      if (!(error instanceof RpcError) || error.code !== CLIENT_ID_TAKEN) throw error;
      this.clientId = newId();
      return ask();
    });
    this.#lastSeen = result.serverSeq;
    this.defaultDirectory = result.defaultDirectory;
    this.triggers = result.completionTriggerCharacters ?? [];
    for (const { resource, state } of result.snapshots) this.#reset(resource, state);
  }

  #replayed({ actions, missing }) {
    for (const envelope of actions) this.#received(envelope);
    for (const uri of missing) this.#lose(uri);
  }

  #replaced({ snapshots }, held) {
    const there = new Set(snapshots.map(({ resource }) => resource));
    // The host may have been restored from a backup: its number counts, not the higher one that we remember.
    if (snapshots.length) this.#lastSeen = Math.max(...snapshots.map(({ fromSeq }) => fromSeq));
    for (const { resource, state } of snapshots) this.#reset(resource, state);
    for (const uri of held) if (!there.has(uri)) this.#lose(uri);
  }

  #sendAgain(doubtful) {
    for (const replica of this.#held.values()) {
      for (const { clientSeq, action } of replica.pending) {
        this.#wire.notify("dispatchAction", { channel: replica.uri, clientSeq, action });
        if (doubtful) setTimeout(() => replica.settle(clientSeq) && this.#changed(replica.uri), RESENT_PATIENCE_MS);
      }
    }
  }

  #heard({ method, params }) {
    if (method === "action") this.#received(params);
    else this.dispatchEvent(new CustomEvent(method, { detail: params }));
  }

  #received({ channel, action, serverSeq, origin, rejectionReason }) {
    this.#lastSeen = Math.max(this.#lastSeen, serverSeq);
    const replica = this.#held.get(channel);
    if (!replica) return;
    const ours = origin?.clientId === this.clientId && replica.settle(origin.clientSeq);
    if (rejectionReason === undefined) this.#apply(replica, action, origin?.clientId);
    else if (ours) this.dispatchEvent(new CustomEvent("rejected", { detail: { uri: channel, action, reason: rejectionReason } }));
    this.#changed(channel);
  }

  #apply(replica, action, clientId) {
    replica.apply(action);
    this.dispatchEvent(new CustomEvent("applied", { detail: { uri: replica.uri, action, clientId } }));
  }

  #reset(uri, state) {
    this.#held.get(uri)?.reset(state);
    this.dispatchEvent(new CustomEvent("reset", { detail: uri }));
    this.#changed(uri);
  }

  #lose(uri) {
    if (uri === ROOT || !this.#held.delete(uri)) return;
    this.dispatchEvent(new CustomEvent("gone", { detail: uri }));
  }

  #changed(uri) {
    this.dispatchEvent(new CustomEvent("change", { detail: uri }));
  }
}
