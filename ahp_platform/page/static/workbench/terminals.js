// Which terminals belong beside a session, and how does one come to be?

import { ROOT } from "./channels/root.js";
import { newId } from "./ids.js";

/**
 * The session's own first, then those that people of this tenant hold. The host lists what the whole tenant may see at the root, and what
 * only the readers of a private session may see in that session's `_meta`.
 */
export function terminalsOf(app, session) {
  const listed = app.replicas.state(ROOT)?.terminals ?? [];
  const own = app.replicas.state(session)?._meta?.terminals ?? [];
  const all = [...own, ...listed.filter(({ resource }) => !own.some((other) => other.resource === resource))];
  const mine = all.filter(({ claim }) => claim.session === session);
  return [...mine, ...all.filter(({ claim }) => claim.kind === "client")];
}

/** A shell in the session's first directory, which everybody in the session may use. Resolves with its URI, or undefined. */
export async function openTerminal(app, session, size) {
  const channel = `ahp-terminal:/${newId()}`;
  const claim = { kind: "session", session };
  const made = await app.ask("createTerminal", { channel, claim, name: "Shell", ...size });
  return made === undefined ? undefined : channel;
}

/** Who holds a terminal, in words. */
export function holderOf(claim, clients, ownClientId) {
  if (claim.kind === "session") return claim.toolCallId ? "The agent’s" : "Everybody may type";
  if (claim.clientId === ownClientId) return "Only you may type";
  const name = clients.find(({ clientId }) => clientId === claim.clientId)?.displayName;
  return `Held by ${name ?? "somebody else"}`;
}
