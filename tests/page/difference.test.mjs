// Does a difference of two texts lead from the one to the other, in few steps and with the right line numbers?

import assert from "node:assert/strict";
import { test } from "node:test";

const { counts, difference, hunks, linesOf } = await import("../../ahp_platform/page/static/workbench/files/difference.js");
const { childUri, nameOf, parentUri, quoted, shown } = await import("../../ahp_platform/page/static/workbench/files/uris.js");

function side(script, left) {
  return script.filter(({ kind }) => kind !== (left ? "added" : "removed")).map(({ text }) => text);
}

test("a changed line is one removed and one added", () => {
  const script = difference("a\nb\nc\n", "a\nB\nc\n");
  assert.deepEqual(script.map(({ kind }) => kind), ["same", "removed", "added", "same"]);
  assert.deepEqual(counts(script), { added: 1, removed: 1 });
});

test("a new and an emptied file are all added and all removed", () => {
  assert.deepEqual(counts(difference("", "a\nb\n")), { added: 2, removed: 0 });
  assert.deepEqual(counts(difference("a\nb\n", "")), { added: 0, removed: 2 });
});

test("both sides come out of the script, whatever the texts", () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 300; round++) {
    const text = () => Array.from({ length: random(30) }, () => "abcd"[random(4)]).join("\n");
    const [before, after] = [text(), text()];
    const script = difference(before, after);
    assert.deepEqual(side(script, true), linesOf(before));
    assert.deepEqual(side(script, false), linesOf(after));
  }
});

test("texts with nothing in common are told so soon", () => {
  const lines = (mark) => Array.from({ length: 6000 }, (_, at) => `${mark}${at}`).join("\n");
  assert.deepEqual(counts(difference(lines("a"), lines("b"))), { added: 6000, removed: 6000 });
});

test("hunks keep three lines around and say how many were left out", () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
  const [hunk] = hunks(difference(before.join("\n"), before.with(9, "other").join("\n")));
  assert.equal(hunk.skipped, 6);
  assert.equal(hunk.lines.length, 8);
  assert.deepEqual(hunk.lines.map(({ before: number }) => number), [7, 8, 9, 10, null, 11, 12, 13]);
});

test("names survive the way into a URI and back", () => {
  for (const name of ["plain.txt", "a b#c?d%41.md", "ünï", "it's (1)!*"]) assert.equal(nameOf(childUri("file:///x/", name)), name);
  assert.equal(childUri("file:///x", "it's"), "file:///x/it%27s");
  assert.equal(parentUri("file:///x/y/z"), "file:///x/y");
});

test("bytes that are no UTF-8 stay what they are", () => {
  assert.equal(quoted("caf%E9 x"), "caf%E9%20x");
  assert.equal(quoted("%C3%A9"), "%25C3%25A9");
  assert.equal(nameOf("file:///x/caf%E9%20x"), "caf%E9 x");
});

test("nothing in a name hides or turns around", () => assert.equal(shown("a\u202egnp.exe\n"), "a\\u202egnp.exe\\u000a"));
