// What is left of a program's output where no terminal interprets it? Text, without escape sequences and overwritten lines.

const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])/g;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

export function withoutEscapes(text) {
  if (!/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) return text;
  const plain = text.replace(SEQUENCES, "").replaceAll("\r\n", "\n");
  // A progress bar returns to the start of its line: what came last counts.
  return plain.replace(/[^\n]*\r(?!\n)/g, "").replace(CONTROLS, "");
}
