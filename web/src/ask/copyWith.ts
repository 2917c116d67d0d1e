/** An answer with its citations, as Markdown. */
import { laidOut, numberOf } from "../store/layout";
import type { Turn } from "../store/turn";

export function asMarkdown(turn: Turn): string {
  const cited = (at: readonly number[]) => at.map((one) => `[${numberOf(turn, one)}]`).join("");
  const lines = turn.parts.map((part) => {
    const command = part.command ? `\`${part.command}\`` : "";
    const said = command && part.text ? `${command}: ${part.text}` : command || part.text;
    return `${part.kind === "steps" ? "- " : ""}${said} ${cited(part.citations)}`;
  });
  const quotes = laidOut(turn).order.map((position, at) => {
    const one = turn.citations[position];
    if (!one) return "";
    const place = `${one.document_ref} (${one.source}), characters ${one.start} to ${one.end}`;
    return `[${at + 1}] ${place}: “${one.quote}”`;
  });
  return [`**${turn.question}**`, "", ...lines, "", ...quotes, ""].join("\n");
}
