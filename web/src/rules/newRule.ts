/** Rules to begin with, and where they are put in the text. */
import type { RuleRow } from "../api/client";
import { startOf } from "./places";

interface Kind {
  readonly title: string;
  readonly rule: Readonly<Record<string, unknown>>;
}

export const KINDS: readonly Kind[] = [
  {
    title: "Answer thanks, without searching",
    rule: {
      comment: "Thanks",
      match: { small_talk: "thanks" },
      static_response: "You are welcome.",
    },
  },
  {
    title: "Answer certain words with a fixed text",
    rule: {
      comment: "Opening hours",
      match: { user_message_regexp: "/opening hours|open today/i" },
      static_response: "We are open from 9 to 17.",
    },
  },
  {
    title: "Quote a collection where it matches",
    rule: { comment: "Runbooks", match: { rag_result: "match", collection_regexp: "/runbook/i" } },
  },
  {
    title: "Say what is near, where nothing matches",
    rule: {
      comment: "Something near",
      match: { rag_result: "partial" },
      static_response: "Nothing answers that. The nearest is ${profile.collection}.",
    },
  },
];

/** A text with a rule before all others, so that none of them is tried before it; and where the rule begins. */
export function withRule(
  text: string,
  rows: readonly RuleRow[],
  isJson: boolean,
  kind: Kind,
): { text: string; start: number } | null {
  const [first] = rows;
  if (!first?.line) return null;
  const start = startOf(text, first.line);
  const indent = /^\s*/.exec(text.slice(start))?.[0] ?? "";
  const added = isJson ? `${indent}${JSON.stringify(kind.rule)},\n` : asYaml(kind.rule, indent);
  return { text: text.slice(0, start) + added + text.slice(start), start };
}

/** JSON is YAML: a key on each line, and what is inside of it in its short form. */
function asYaml(rule: Kind["rule"], indent: string): string {
  return Object.entries(rule)
    .map(([key, value], at) => `${indent}${at ? "  " : "- "}${key}: ${JSON.stringify(value)}\n`)
    .join("");
}
