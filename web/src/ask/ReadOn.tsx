import { sources } from "../store/sources";
import { show } from "../store/pane";
import type { Turn } from "../store/turn";
import { CopyButton } from "../parts/CopyButton";
import { text } from "../text/en";

/** The documents that the answer is from, and how to go on reading them. */
export function ReadOn({ turn }: { turn: Turn }) {
  const documents = new Map<string, number>();
  turn.citations.forEach((one, at) => {
    if (!documents.has(one.document)) documents.set(one.document, at);
  });
  if (!documents.size) return null;
  return (
    <div class="read-on">
      <h3>{text.answer.readOn}</h3>
      <ul>
        {[...documents].map(([document, at]) => {
          const citation = turn.citations[at];
          if (!citation) return null;
          const source = sources.value?.find((one) => one.name === citation.source);
          const command = commandFor(source?.kind ?? "", citation.document_ref);
          return (
            <li key={document}>
              <button type="button" class="name" onClick={() => show(turn.id, at)}>
                {citation.document_ref}
              </button>
              <span class="of">{source?.title ?? citation.source}</span>
              {command && <Command line={command} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

export function Command({ line }: { line: string }) {
  return (
    <span class="command">
      <code>{line}</code>
      <CopyButton bare of={() => line} label={`${text.copy}: ${line}`} />
    </span>
  );
}

/** The command that shows a manual page or an info node, or "". */
export function commandFor(kind: string, reference: string): string {
  const match = /^(.+)\(([^()]+)\)$/.exec(reference);
  if (!match) return "";
  const [, name = "", inner = ""] = match;
  if (kind === "man" || kind === "manual") return `man ${inner} ${quoted(name)}`;
  return kind === "info" ? `info ${quoted(`(${inner}) ${name}`)}` : "";
}

function quoted(word: string): string {
  return /^[\w.:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
