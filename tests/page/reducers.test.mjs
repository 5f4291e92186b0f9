// Do the page's reducers agree with the cases shared by every implementation of the protocol?
// Run by test_reducers.py; `node --test reducers.test.mjs` with AHP_FIXTURES naming the folder of the cases runs it alone.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const page = "../../ahp_platform/page/static/workbench/channels";
const { CHAT_ACTIONS, reduceChat } = await import(`${page}/chat.js`);
const { SESSION_ACTIONS, reduceSession } = await import(`${page}/session.js`);
const { reduceRoot } = await import(`${page}/root.js`);
const { reduceTerminal } = await import(`${page}/terminal.js`);

const NOW = 9999;
const folder = process.env.AHP_FIXTURES;
const reducers = { chat: reduceChat, session: reduceSession, root: reduceRoot, terminal: reduceTerminal };
const shown = { chat: new Set(CHAT_ACTIONS), session: new Set(SESSION_ACTIONS) };

/** In the cases `null` stands for "absent". */
function normal(value) {
  if (Array.isArray(value)) return value.map(normal);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, normal(item)]));
}

function frozen(value) {
  if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name), "utf8")) }))
  .filter((it) => it.reducer in reducers)
  .filter((it) => it.name.includes("unknown-action") || !shown[it.reducer] || it.actions.every((a) => shown[it.reducer]?.has(a.type) ?? true));

test("the cases were found", () => assert.ok(cases.length > 100, `only ${cases.length} cases in ${folder}`));

for (const it of cases) {
  test(it.name, () => {
    const reduce = reducers[it.reducer];
    const state = it.actions.map(normal).reduce((held, action) => reduce(held, frozen(action), NOW), frozen(normal(it.initial)));
    assert.deepEqual(normal(state), normal(it.expected));
  });
}
