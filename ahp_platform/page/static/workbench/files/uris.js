// Which URI has a file in a directory, and what is it called? Names are bytes to a file system: what is not UTF-8 stays percent-encoded.

const SEQUENCE = /%[0-7][0-9A-F]|%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}|%F[0-4](?:%[89AB][0-9A-F]){3}/gi;
const BYTES = /(?:%[89A-F][0-9A-F])+/g;
// Signs that would hide, or turn around, what stands beside them.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** One name as it stands in a URI. The host lists bytes that are no UTF-8 as `%FF`, and those must stay as they are. */
export function quoted(name) {
  let result = "";
  let at = 0;
  for (const match of name.matchAll(BYTES)) {
    if (isUtf8(match[0])) continue;
    result += encoded(name.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return result + encoded(name.slice(at));
}

function isUtf8(bytes) {
  try {
    return decodeURIComponent(bytes) !== "";
  } catch {
    return false;
  }
}

/** As the host does it: everything but letters, digits and `_.-~`. */
function encoded(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function childUri(directory, name) {
  return `${directory.replace(/\/+$/, "")}/${quoted(name)}`;
}

export function parentUri(uri) {
  return uri.replace(/\/+$/, "").replace(/\/[^/]*$/, "");
}

export function isWithin(directory, uri) {
  const root = directory.replace(/\/+$/, "");
  return uri === root || uri.startsWith(`${root}/`);
}

export function nameOf(uri) {
  const last = uri.replace(/\/+$/, "").split("/").at(-1) || uri;
  return last.replace(SEQUENCE, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
}

/** A name as people may see it: nothing invisible, nothing that reverses the text around it. */
export function shown(name) {
  return name.replace(INVISIBLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function shownName(uri) {
  return shown(nameOf(uri));
}

/** A path below one of the roots, for people. */
export function pathBelow(roots, uri) {
  const root = roots.find((one) => isWithin(one, uri));
  const names = uri.slice((root ?? "").replace(/\/+$/, "").length).split("/").filter(Boolean).map(shownName);
  return names.length ? names.join("/") : shownName(uri);
}

/** Why a name will not do, or undefined. */
export function problemWith(name) {
  if (name === "" || name === "." || name === "..") return "Enter a name.";
  if (/[/\u0000]/.test(name)) return "A name may not contain a slash.";
  return new TextEncoder().encode(name).length > 255 ? "This name is too long." : undefined;
}
