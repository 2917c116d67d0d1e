import "../styles/manage.css";
import "../styles/rules.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inWords } from "../api/client";
import {
  checked,
  draft,
  isDirty,
  keepDraft,
  loadRules,
  rules,
  rulesProblem,
  saveRules,
  take,
  theirs,
  type DryRun,
} from "../store/rules";
import { tell } from "../store/removal";
import { me } from "../store/session";
import { NotShown } from "../shell/AdminsOnly";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { words } from "../text/rules";
import { text } from "../text/en";
import { DryRunPanel } from "./DryRunPanel";
import { Editor } from "./Editor";
import { difference } from "./places";
import { Probes } from "./Probes";
import { RuleTable } from "./RuleTable";

const LOOK_MS = 10_000;

/** The rules of the chat: as a table, as text that is checked while one types, and with messages that are tried. */
export function RulesScreen() {
  const run = useSignal<DryRun | null>(null);
  const message = useSignal("");
  useEffect(() => {
    void loadRules();
    // somebody may change the file with an editor meanwhile
    const timer = setInterval(() => {
      if (!document.hidden && rules.value) void loadRules();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [me.value?.name]);
  const found = rules.value;
  const problem = rulesProblem.value;
  if (!found) {
    return (
      <div class="manage" id="answers" tabIndex={-1}>
        <div class="manage-main">
          <h1>{words.title}</h1>
          <NotShown problem={problem} adminsOnly={words.adminsOnly} />
        </div>
      </div>
    );
  }
  const isFaulty = checked.value ? !checked.value.valid : false;
  // the table has the rules of the draft where it has no fault
  const isOfTable = run.value?.draft === (isDirty.value && !isFaulty);
  const taken = isOfTable ? (run.value?.routing.rule ?? null) : null;
  return (
    <div class="manage rules" id="answers" tabIndex={-1}>
      <div class="manage-main">
        <header class="manage-head">
          <div>
            <h1>{words.title}</h1>
            <p class="quiet">
              {words.lede} {found.file && <code>{found.file}</code>}
            </p>
          </div>
          <Actions isFaulty={isFaulty} />
        </header>
        {!found.file && <p class="note">{words.builtIn}</p>}
        {problem !== null && (
          <p class="note bad" role="alert">
            {inWords(problem, text.answer.notReached)}
          </p>
        )}
        {!isDirty.value && !found.valid && <p class="note warn">{words.brokenFile}</p>}
        {theirs.value !== null && <Conflict theirs={theirs.value} />}
        <RuleTable taken={taken} />
        <Editor />
      </div>
      <aside class="rules-side" aria-label={words.run.title}>
        <DryRunPanel message={message} run={run} isFaulty={isFaulty} />
        <Probes message={message} run={run} />
      </aside>
    </div>
  );
}

/** Discard or save the draft; a button that is off says why. */
function Actions({ isFaulty }: { isFaulty: boolean }) {
  const isKeyless = me.value?.signed_in === false;
  const why = isKeyless
    ? words.keyNeeded
    : isFaulty
      ? words.hasFaults
      : checked.value
        ? theirs.value === null
          ? ""
          : words.changed
        : words.checking;
  if (!rules.value?.file) return null;
  return (
    <div class="manage-actions">
      {isDirty.value && <span class="tag warn">{words.draft}</span>}
      <button
        type="button"
        class="button plain"
        disabled={!isDirty.value}
        onClick={() => {
          if (rules.value) take(rules.value);
        }}
      >
        {words.discard}
      </button>
      <button
        type="button"
        class="button main"
        disabled={!isDirty.value || why !== ""}
        aria-describedby={isDirty.value && why ? "save-why" : undefined}
        onClick={() =>
          void saveRules().then((isSaved) => {
            if (isSaved) tell(words.saved);
          })
        }
      >
        {words.save}
      </button>
      {isDirty.value && why && (
        <p class="quiet save-why" id="save-why">
          {why}
        </p>
      )}
    </div>
  );
}

/** Somebody has changed the file: what they have, and what the draft has. */
function Conflict({ theirs: now }: { theirs: string }) {
  const isOpen = useSignal(false);
  const found = difference(now, draft.value);
  const side = (title: string, lines: readonly string[]) => (
    <section>
      <h3>{title}</h3>
      <pre tabIndex={0}>{lines.length ? lines.join("\n") : words.nothing}</pre>
    </section>
  );
  return (
    <div class="note warn" role="status">
      <Icon name="warning" />
      <span>
        <b>{words.changed}</b> {words.draftKept}
      </span>
      <button type="button" class="button small" onClick={() => (isOpen.value = true)}>
        {words.compare}
      </button>
      <Dialog isOpen={isOpen} title={words.compareTitle}>
        {found.one.length || found.other.length ? (
          <>
            <p class="quiet">{words.from(found.line)}</p>
            <div class="compared">
              {side(words.theirs, found.one)}
              {side(words.yours, found.other)}
            </div>
          </>
        ) : (
          <p>{words.same}</p>
        )}
        <p class="form-foot">
          <button
            type="button"
            class="button"
            onClick={() => {
              isOpen.value = false;
              if (rules.value) take(rules.value);
            }}
          >
            {words.takeTheirs}
          </button>
          <button
            type="button"
            class="button main"
            onClick={() => {
              isOpen.value = false;
              keepDraft();
            }}
          >
            {words.keepYours}
          </button>
        </p>
      </Dialog>
    </div>
  );
}
