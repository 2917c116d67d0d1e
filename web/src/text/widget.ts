/** The texts of the widget on other sites. */
import { count } from "./numbers";

export const words = {
  title: "Ask these docs",
  close: "Close",
  question: "Question",
  ask: "Ask",
  stop: "Stop",
  searching: "Searching…",
  copy: "Copy",
  copied: "Copied",
  checked: (n: number, of: number) => `${n} of ${of === 1 ? "1 quote" : `${of} quotes`} checked`,
  failed: (n: number) =>
    `${count(n, "quote")} could not be found. Do not rely on ${n === 1 ? "it" : "them"}.`,
  confidence: (share: number) =>
    `${share >= 0.85 ? "Sure" : share >= 0.6 ? "Likely" : "A guess: check the source"}, ${Math.floor(share * 100)} %`,
  refused: "These docs do not answer this.",
  unknown: (missing: readonly string[]) =>
    `No document mentions ${missing.map((word) => `“${word}”`).join(", ")}.`,
  citation: (n: number, reference: string, proof: string) => `Citation ${n}: ${reference}, ${proof}`,
  proofs: {
    checking: "being checked",
    checked: "checked",
    failed: "not in the document",
    gone: "document gone",
    unreachable: "not checked",
    elsewhere: "not checked",
  },
  notInDocument: "This quote is not in the document. Do not rely on it.",
  offline: "The server does not answer. Your question is kept.",
  usedUp: "This site's questions are used up for today.",
  busy: "Too many questions for a moment. Yours is kept.",
  again: "Ask again",
  foot: "Quoted, not written. No cookies. By Vademecum.",
  footModel: "Every sentence checked. No cookies. By Vademecum.",
};
