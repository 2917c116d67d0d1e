import { useSignal } from "@preact/signals";
import { checked, draft, rules, write } from "../store/rules";
import { announce } from "../parts/announce";
import { words } from "../text/rules";
import { EDITOR } from "./Editor";
import { KINDS, withRule } from "./newRule";

const said = words.add;

/** A rule to begin with, and what rules can ask for. */
export function AddRule() {
  const chosen = useSignal(0);
  const rows = checked.value?.valid ? checked.value.rules : [];
  const kind = KINDS[chosen.value];
  const added = kind && withRule(draft.value, rows, rules.value?.format === "json", kind);
  return (
    <>
      {rules.value?.file && (
        <form
          class="panel-line add-rule"
          onSubmit={(event) => {
            event.preventDefault();
            if (!added) return;
            write(added.text);
            announce(said.placed);
            requestAnimationFrame(() => {
              const field = document.getElementById(EDITOR);
              if (!(field instanceof HTMLTextAreaElement)) return;
              field.focus();
              field.setSelectionRange(added.start, added.start + added.text.length - draft.value.length);
            });
          }}
        >
          <select
            aria-label={said.label}
            value={chosen.value}
            onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
          >
            {KINDS.map(({ title }, at) => (
              <option key={title} value={at}>
                {title}
              </option>
            ))}
          </select>
          <button type="submit" class="button small" disabled={!added}>
            {said.button}
          </button>
          <span class="quiet">{said.placed}</span>
        </form>
      )}
      <details class="panel-line rule-help">
        <summary>{said.help}</summary>
        <dl>
          {said.keys.map(([key, meaning]) => (
            <>
              <dt>
                <code>{key}</code>
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </details>
    </>
  );
}
