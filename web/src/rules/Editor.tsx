import type { Position } from "../api/client";
import { checked, draft, rules, write } from "../store/rules";
import { Icon } from "../parts/Icon";
import { words } from "../text/rules";
import { wordAt } from "./places";

export const EDITOR = "rules-text";
const said = words.editor;

/** The text of the file, with the lines that have faults, and these in words. */
export function Editor() {
  const file = rules.value?.file ?? "";
  const name = file.split("/").at(-1) ?? "";
  const faults = checked.value?.faults ?? [];
  const warnings = checked.value?.warnings ?? [];
  const faulty = new Set(faults.map((fault) => fault.line));
  const lines = draft.value.split("\n");
  return (
    <section class="panel" aria-labelledby="editor-title">
      <header class="panel-head">
        <h3 id="editor-title">{name || words.title}</h3>
        <span class="quiet" role="status">
          {checked.value && (faults.length ? said.faults(faults.length) : said.none)}
        </span>
      </header>
      <div class="editor">
        <div class="editor-lines" aria-hidden="true">
          {lines.map((line, at) => (
            <div key={at} data-line={at + 1} class={faulty.has(at + 1) ? "faulty" : ""}>
              <span>{at + 1}</span>
              {line || " "}
            </div>
          ))}
        </div>
        <textarea
          id={EDITOR}
          aria-label={said.label(name || words.title)}
          aria-invalid={faults.length > 0}
          aria-describedby="rules-faults"
          value={draft.value}
          readOnly={!file}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => write(event.currentTarget.value)}
        />
      </div>
      <ul class="faults" id="rules-faults">
        {faults.map((fault, at) => (
          <Fault key={at} fault={fault} />
        ))}
        {warnings.map((warning, at) => (
          <Fault key={at} fault={warning} isWarning />
        ))}
      </ul>
    </section>
  );
}

/** A fault, that leads to its place; and what was probably meant, that can be put there. */
function Fault({ fault, isWarning = false }: { fault: Position; isWarning?: boolean }) {
  return (
    <li class={isWarning ? "warning" : "fault"}>
      <Icon name="warning" />
      <p>
        <button type="button" class="link" onClick={() => select(fault)}>
          {said.place(fault.line, fault.column)}
        </button>{" "}
        {isWarning && <b>{said.warning}</b>} {fault.message}
        {fault.suggestion && (
          <>
            {" "}
            {said.meant}{" "}
            <button type="button" class="link" onClick={() => mend(fault)}>
              <code>{fault.suggestion}</code>
            </button>
            ?
          </>
        )}
      </p>
    </li>
  );
}

function select(fault: Position): HTMLTextAreaElement | null {
  const field = document.getElementById(EDITOR);
  if (!(field instanceof HTMLTextAreaElement) || !fault.line) return null;
  const { start, end } = wordAt(draft.value, fault.line, fault.column);
  field.focus();
  field.setSelectionRange(start, end);
  field.parentElement?.querySelector(`[data-line="${fault.line}"]`)?.scrollIntoView({ block: "nearest" });
  return field;
}

function mend(fault: Position): void {
  const field = select(fault);
  if (!field) return;
  field.setRangeText(fault.suggestion, field.selectionStart, field.selectionEnd, "end");
  write(field.value);
}
