// Where does one block of a model's text end and the next begin, also while it is still arriving?

import assert from "node:assert/strict";
import { test } from "node:test";

const { blocks } = await import("../../ahp_platform/page/static/workbench/markdown.js");
const kinds = (text) => blocks(text).map(({ kind }) => kind);

test("paragraphs end at an empty line", () => assert.deepEqual(kinds("one\ntwo\n\nthree"), ["paragraph", "paragraph"]));
test("a fence holds everything until it is closed", () => {
  assert.deepEqual(kinds("```py\n# no heading\n\n- no list\n```\nafter"), ["fence", "paragraph"]);
});
test("a fence that is not closed yet is a fence", () => assert.deepEqual(kinds("before\n```\nx"), ["paragraph", "fence"]));
test("lists, quotes, headings and rules are told apart", () => {
  assert.deepEqual(kinds("# a\n- b\n1. c\n> d\n\n---"), ["heading", "bullets", "numbers", "quote", "rule"]);
});
test("a line that goes on belongs to its list item", () => assert.deepEqual(kinds("- a\n  more"), ["bullets"]));

test("text that arrives in pieces gives the blocks of the whole", () => {
  const whole = "# Head\n\ntext *and* more\n- one\n- two\n\n```js\na\n\nb\n```\n1. x\n> q\nend";
  let held = [];
  for (let end = 1; end <= whole.length; end++) {
    const from = held.pop()?.start ?? 0;
    held = [...held, ...blocks(whole.slice(0, end), from)];
  }
  assert.deepEqual(held, blocks(whole));
});
