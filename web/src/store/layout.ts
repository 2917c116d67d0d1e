/** Which part of an answer is its lead, what supports it, and what comes from other documents. */
import type { Part, Turn } from "./turn";
import { isCopied } from "../text/copied";

export interface Sentence {
  readonly text: string;
  readonly citations: readonly number[];
  readonly copied: boolean;
  /** Whether the text is code, whose line breaks matter. */
  readonly isCode: boolean;
}

export interface Other {
  readonly reference: string;
  readonly sentences: readonly Sentence[];
  readonly options: readonly Part[];
}

export interface Layout {
  /** A line to type, where the answer has one. */
  readonly line: Part | null;
  /** The first sentence, where there is no line. */
  readonly lead: Sentence | null;
  readonly sentences: readonly Sentence[];
  readonly options: readonly Part[];
  readonly others: readonly Other[];
  /** The positions of citations, in the order in which they are shown. */
  readonly order: readonly number[];
}

const made = new WeakMap<Turn, Layout>();

/** The layout of a turn; the same object for the same turn. */
export function laidOut(turn: Turn): Layout {
  const known = made.get(turn);
  if (known) return known;
  const layout = layOut(turn);
  made.set(turn, layout);
  return layout;
}

/** The number that a citation is shown with, from 1. */
export function numberOf(turn: Turn, position: number): number {
  return laidOut(turn).order.indexOf(position) + 1;
}

function layOut(turn: Turn): Layout {
  const groups = new Map<string, Part[]>();
  const hasSteps = turn.parts.some((part) => part.kind === "steps");
  for (const part of turn.parts) {
    // running text goes together whatever its documents are: one sentence follows the other
    const key = hasSteps ? documentOf(turn, part) : "";
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  const [first = [], ...rest] = [...groups.values()];
  const line = first.find(isLine) ?? null;
  const sentences = first.filter((part) => part.kind === "summary").map((part) => sentence(turn, part));
  const lead = line ? null : (sentences.shift() ?? null);
  const options = first.filter((part) => part.kind === "steps" && part !== line);
  const others = rest.map((parts) => other(turn, parts));
  const shown = [
    ...(line ? [line] : []),
    ...(lead ? [lead] : []),
    ...sentences,
    ...options,
    ...others.flatMap((one) => [...one.sentences, ...one.options]),
  ];
  const order = [...new Set(shown.flatMap((one) => one.citations))];
  return { line, lead, sentences, options, others, order };
}

const SYNOPSIS = /[[\]{}<>|]|\.\.\.|…/;

/** Whether a step is a line that can be typed; a synopsis, with its brackets and dots, cannot. */
function isLine(part: Part): boolean {
  return part.kind === "steps" && part.command !== "" && !part.text && !SYNOPSIS.test(part.command);
}

function other(turn: Turn, parts: readonly Part[]): Other {
  return {
    reference: turn.citations[parts[0]?.citations[0] ?? -1]?.document_ref ?? "",
    sentences: parts.filter((part) => part.kind === "summary").map((part) => sentence(turn, part)),
    options: parts.filter((part) => part.kind === "steps"),
  };
}

function documentOf(turn: Turn, part: Part): string {
  return turn.citations[part.citations[0] ?? -1]?.document ?? "";
}

function sentence(turn: Turn, part: Part): Sentence {
  const quotes = part.citations.map((at) => turn.citations[at]?.quote ?? "");
  const text = part.text || part.command;
  return { text, citations: part.citations, copied: isCopied(text, quotes), isCode: !part.text };
}
