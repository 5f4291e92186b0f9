// In which lines do two texts differ? The shortest script of edits (Myers), cut into hunks with a few lines around them.

const CONTEXT = 3;
// Beyond so many edits the texts have little in common, and looking for the shortest script would take too long.
const MOST_EDITS = 1500;

/** Lines without their ends; a text that ends with a line end has no empty line after it. */
export function linesOf(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** @returns {{kind: "same" | "added" | "removed", text: string}[]} */
export function difference(before, after) {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const middle = edits(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  const same = (text) => ({ kind: "same", text });
  return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)];
}

function edits(old, fresh) {
  const trace = old.length && fresh.length ? forward(old, fresh) : null;
  if (!trace) return [...old.map((text) => ({ kind: "removed", text })), ...fresh.map((text) => ({ kind: "added", text }))];
  return backward(trace, old, fresh);
}

function forward(old, fresh) {
  const trace = [];
  let furthest = new Map([[1, 0]]);
  for (let count = 0; count <= Math.min(MOST_EDITS, old.length + fresh.length); count++) {
    trace.push(furthest);
    const next = new Map();
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const x = reached(old, fresh, furthest, diagonal, count);
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return trace;
    }
    furthest = next;
  }
  return null;
}

function reached(old, fresh, furthest, diagonal, count) {
  let x = isDown(furthest, diagonal, count) ? furthest.get(diagonal + 1) : furthest.get(diagonal - 1) + 1;
  while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
  return x;
}

function isDown(furthest, diagonal, count) {
  if (diagonal === -count) return true;
  return diagonal !== count && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1);
}

function backward(trace, old, fresh) {
  const script = [];
  let [x, y] = [old.length, fresh.length];
  for (let count = trace.length - 1; count >= 0; count--) {
    const furthest = trace[count];
    const diagonal = x - y;
    const from = isDown(furthest, diagonal, count) ? diagonal + 1 : diagonal - 1;
    const [fromX, fromY] = [furthest.get(from), furthest.get(from) - from];
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      script.push({ kind: "same", text: old[--x] });
      y -= 1;
    }
    if (count === 0) break;
    if (x === fromX) script.push({ kind: "added", text: fresh[--y] });
    else script.push({ kind: "removed", text: old[--x] });
  }
  return script.reverse();
}

/** Runs of changed lines with what stands around them: [{lines: [{kind, text, before, after}], skipped}]; numbers begin at 1. */
export function hunks(script) {
  const numbered = numberedLines(script);
  const near = new Array(numbered.length).fill(false);
  numbered.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  const found = [];
  let skipped = 0;
  numbered.forEach((line, at) => {
    if (!near[at]) return void (skipped += 1);
    if (!near[at - 1]) found.push({ lines: [], skipped });
    skipped = 0;
    found.at(-1).lines.push(line);
  });
  return found;
}

function numberedLines(script) {
  let [before, after] = [0, 0];
  return script.map(({ kind, text }) => {
    if (kind !== "added") before += 1;
    if (kind !== "removed") after += 1;
    return { kind, text, before: kind === "added" ? null : before, after: kind === "removed" ? null : after };
  });
}

export function counts(script) {
  const of = (wanted) => script.reduce((sum, { kind }) => sum + (kind === wanted ? 1 : 0), 0);
  return { added: of("added"), removed: of("removed") };
}
