// How does the page say it? Errors, times and names in plain words.

import { shownName } from "./files/uris.js";
import { ConnectionLost, RpcError } from "./wire.js";

const BY_CODE = {
  [-32001]: "This session does not exist, or you may not see it.",
  [-32002]: "This agent is not available here.",
  [-32003]: "A session with this address exists already.",
  [-32004]: "The agent is still busy with the previous message.",
  [-32005]: "The server does not speak this page's protocol version. Reload the page.",
  [-32007]: "This agent needs you to sign in to another service first.",
  [-32008]: "This is no longer there.",
  [-32009]: "You are not allowed to do this.",
  [-32010]: "Something of this name is there already.",
  [-32601]: "The server cannot do this yet.",
  [-32603]: "Something went wrong on the server. Please try again.",
};

export function errorText(error) {
  if (error instanceof RpcError) return BY_CODE[error.code] ?? error.message;
  if (error instanceof ConnectionLost) return "No connection just now. Please try again in a moment.";
  return "Something went wrong on this page. Please reload it.";
}

const LONGEST_NAME = 60;
const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export function ago(timestamp, now = Date.now()) {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? [];
  return unit ? relative.format(Math.round(seconds / size), unit) : "now";
}

export function duration(ms) {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function titleOf(session) {
  return session.title?.trim() || "Untitled session";
}

/** A session's name from what was first said in it. */
export function nameFrom(text) {
  const line = Array.from(text.split("\n")[0].trim());
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME).join("").trim()}…` : line.join("");
}

/** What the tabs of a session's chats say. Chats have the names that the host gave them, so equal ones get a number. */
export function chatNames(chats, defaultChat) {
  const used = new Map();
  return chats.map((chat) => {
    const name = chat.resource === defaultChat ? "Main" : chat.title?.trim() || "Chat";
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

export function fileName(uri) {
  return shownName(uri);
}

const UNITS = ["bytes", "KB", "MB", "GB"];

export function size(bytes) {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(bytes || 1) / 10)));
  return `${step ? (bytes / 1024 ** step).toFixed(1) : bytes} ${UNITS[step]}`;
}
