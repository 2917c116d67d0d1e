import type { RuleRow } from "../api/client";
import { checked, draft, isDirty, rules } from "../store/rules";
import { words } from "../text/rules";
import { AddRule } from "./AddRule";
import { EDITOR } from "./Editor";
import { startOf } from "./places";

const said = words.table;

/** The rules as a person reads them. A rule leads to its lines. */
export function RuleTable({ taken }: { taken: number | null }) {
  const isStale = isDirty.value && !checked.value?.valid;
  const rows = (isStale ? rules.value?.active : (checked.value?.rules ?? rules.value?.active)) ?? [];
  const shown = rows.length ? rows : (rules.value?.active ?? []);
  return (
    <section class="panel" aria-label={said.label}>
      {isStale && <p class="panel-line quiet">{said.stale}</p>}
      <table class="manage-table rule-table">
        <thead>
          <tr>
            <th scope="col">{said.number}</th>
            <th scope="col">{said.name}</th>
            <th scope="col">{said.when}</th>
            <th scope="col">{said.then}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row
              key={row.number}
              row={row}
              isTaken={row.number === taken}
              canShow={!isStale && row.line > 0}
            />
          ))}
        </tbody>
      </table>
      <AddRule />
    </section>
  );
}

function Row({ row, isTaken, canShow }: { row: RuleRow; isTaken: boolean; canShow: boolean }) {
  const name = row.name || said.unnamed(row.number);
  return (
    <tr aria-current={isTaken ? "true" : undefined}>
      <td>{row.number}</td>
      <th scope="row">
        {canShow ? (
          <button type="button" class="link" aria-label={said.goTo(name)} onClick={() => show(row)}>
            {name}
          </button>
        ) : (
          name
        )}
        {isTaken && <span class="tag">{said.dryRun}</span>}
      </th>
      <td>
        {row.when.length === 0
          ? said.always
          : row.when.map(({ key, values }) => (
              <span key={key} class="condition">
                <code>{key}</code> {values.join(", ")}
              </span>
            ))}
      </td>
      <td>
        {said.thens[row.then] ?? row.then}
        {row.model && <span class="quiet"> {row.model}</span>}
        {row.then === "static" && <span class="says">{row.says}</span>}
      </td>
    </tr>
  );
}

/** Select the lines of a rule in the text. */
function show(row: RuleRow): void {
  const field = document.getElementById(EDITOR);
  if (!(field instanceof HTMLTextAreaElement)) return;
  const start = startOf(draft.value, row.line);
  const end = startOf(draft.value, row.last_line + 1);
  field.focus();
  field.setSelectionRange(start, Math.max(start, end - 1));
  field.parentElement?.querySelector(`[data-line="${row.line}"]`)?.scrollIntoView({ block: "nearest" });
}
