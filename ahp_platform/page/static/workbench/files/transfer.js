// How do whole files travel between this computer and the workspace? Up in pieces that are appended, down in one.

import { ROOT } from "../channels/root.js";
import { ConnectionLost, RpcError } from "../wire.js";
import { childUri } from "./uris.js";

const PIECE = 1024 * 1024;
const ALREADY_EXISTS = -32010;
const PATIENCE_MS = 60_000;

export class Stopped extends Error {}

/** Base64 without a call per byte, and without a string of the whole file in between. */
export function base64Of(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 0x6000) pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return pieces.join("");
}

export function bytesOf(base64) {
  const text = atob(base64);
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/**
 * Upload one file. `onProgress(bytes)` as it goes; `mayReplace()` is asked where something of that name is there and resolves with true or
 * false; `signal` stops it. A file that was not sent to its end is taken away again. Resolves with its URI.
 */
export async function upload(wire, directory, file, { onProgress, mayReplace, signal }) {
  const uri = childUri(directory, file.name);
  await begin(wire, uri, await piece(file, 0), mayReplace);
  try {
    for (let at = Math.min(PIECE, file.size); at < file.size; at += PIECE) {
      onProgress(at);
      if (signal.aborted) throw new Stopped();
      await append(wire, uri, await piece(file, at), at);
    }
  } catch (error) {
    await wire.request("resourceDelete", { channel: ROOT, uri }).catch(() => {});
    throw error;
  }
  onProgress(file.size);
  return uri;
}

async function piece(file, at) {
  return new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
}

function write(wire, uri, bytes, rest) {
  return wire.request("resourceWrite", { channel: ROOT, uri, data: base64Of(bytes), encoding: "base64", ...rest });
}

async function begin(wire, uri, bytes, mayReplace) {
  try {
    await write(wire, uri, bytes, { createOnly: true });
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== ALREADY_EXISTS) throw error;
    if (!(await mayReplace())) throw new Stopped();
    await write(wire, uri, bytes, {});
  }
}

/** After a break only the size of the file tells whether the piece had arrived. */
async function append(wire, uri, bytes, at) {
  try {
    await write(wire, uri, bytes, { mode: "append" });
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    await connected(wire);
    const { size } = await wire.request("resourceResolve", { channel: ROOT, uri });
    if (size === at) await append(wire, uri, bytes, at);
    else if (size !== at + bytes.length) throw error;
  }
}

function connected(wire) {
  if (wire.state === "open") return Promise.resolve();
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => reject(new ConnectionLost()), PATIENCE_MS);
    wire.addEventListener("state", function heard({ detail }) {
      if (detail !== "open") return;
      clearTimeout(patience);
      wire.removeEventListener("state", heard);
      resolve();
    });
  });
}

/** Have the browser save a file of the workspace. The name is the browser's to clean. */
export async function download(wire, uri, name) {
  const { data, encoding } = await wire.request("resourceRead", { channel: ROOT, uri, encoding: "base64" });
  const bytes = encoding === "base64" ? bytesOf(data) : new TextEncoder().encode(data);
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), PATIENCE_MS);
}
