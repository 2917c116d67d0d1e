/** An answer with its citations: as Markdown, as plain text, and its documents as BibTeX. */
import type { Citation } from "../api/client";
import { laidOut, numberOf } from "../store/layout";
import type { Turn } from "../store/turn";

export const FORMATS = ["Markdown", "plain", "BibTeX"] as const;
export type Format = (typeof FORMATS)[number];

export function written(turn: Turn, format: Format): string {
  if (format === "BibTeX") return asBibTeX(turn);
  return format === "plain" ? asPlain(turn) : asMarkdown(turn);
}

export function asMarkdown(turn: Turn): string {
  const lines = turn.parts.map((part) => {
    const said = joined(part.command && `\`${part.command}\``, part.text);
    return `${part.kind === "steps" ? "- " : ""}${said} ${markers(turn, part.citations)}`;
  });
  return [`**${turn.question}**`, "", ...lines, "", ...quotes(turn), ""].join("\n");
}

function asPlain(turn: Turn): string {
  const lines = turn.parts.map(
    (part) => `${joined(part.command, part.text)} ${markers(turn, part.citations)}`,
  );
  return [turn.question, "", ...lines, "", ...quotes(turn), ""].join("\n");
}

/** Each cited document once, with its quotes in the note. */
function asBibTeX(turn: Turn): string {
  const documents = new Map<string, Citation[]>();
  for (const one of ordered(turn)) documents.set(one.document, [...(documents.get(one.document) ?? []), one]);
  return [...documents.values()]
    .flatMap(([first, ...rest]) => (first ? [entry(first, [first, ...rest])] : []))
    .join("\n");
}

function entry(first: Citation, all: readonly Citation[]): string {
  const key = first.document_ref.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const note = all.map((one) => `characters ${one.start} to ${one.end}: ${one.quote}`).join("; ");
  const fields = [
    `  title = {${escaped(first.document_ref)}},`,
    `  howpublished = {${escaped(first.source)}},`,
    `  note = {${escaped(note)}},`,
  ];
  return [`@misc{${key},`, ...fields, "}", ""].join("\n");
}

/** A text in which no sign steers BibTeX or TeX. */
function escaped(text: string): string {
  const signs: Record<string, string> = {
    "\\": "\\textbackslash ",
    "~": "\\textasciitilde ",
    "^": "\\textasciicircum ",
  };
  return text.replace(/\s+/g, " ").replace(/[\\~^#$%&_{}]/g, (sign) => signs[sign] ?? `\\${sign}`);
}

function joined(command: string, words: string): string {
  return command && words ? `${command}: ${words}` : command || words;
}

function markers(turn: Turn, at: readonly number[]): string {
  return at.map((one) => `[${numberOf(turn, one)}]`).join("");
}

function ordered(turn: Turn): Citation[] {
  return laidOut(turn).order.flatMap((position) => turn.citations[position] ?? []);
}

function quotes(turn: Turn): string[] {
  return ordered(turn).map(
    (one, at) =>
      `[${at + 1}] ${one.document_ref} (${one.source}), characters ${one.start} to ${one.end}: “${one.quote}”`,
  );
}
