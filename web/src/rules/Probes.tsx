import { useSignal, type Signal } from "@preact/signals";
import { inWords } from "../api/client";
import { rules, runProbes, saveProbes, withProbe, type DryRun, type Probed } from "../store/rules";
import { tell } from "../store/removal";
import { me } from "../store/session";
import { Dialog } from "../parts/Dialog";
import { Field } from "../parts/Field";
import { FormFoot } from "../parts/FormFoot";
import { Icon } from "../parts/Icon";
import { words } from "../text/rules";
import { text } from "../text/en";

const said = words.probes;

interface Props {
  readonly message: Signal<string>;
  readonly run: Signal<DryRun | null>;
}

/** Messages that must go to certain rules, kept next to the file. */
export function Probes({ message, run }: Props) {
  const probed = useSignal<Probed | null>(null);
  const problem = useSignal("");
  const isEdited = useSignal(false);
  const kept = rules.value?.probes ?? "";
  const canSave = me.value?.signed_in !== false && rules.value?.file !== "";
  const why = canSave ? undefined : words.keyNeeded;
  const tried = async (work: () => Promise<void>) => {
    try {
      await work();
      problem.value = "";
      return true;
    } catch (error) {
      problem.value = inWords(error, text.answer.notReached);
      return false;
    }
  };
  const runAll = () => tried(async () => void (probed.value = await runProbes(kept)));
  const add = async () => {
    if (!run.value) return;
    const more = withProbe(kept, message.value.trim(), run.value.routing.rule);
    if (await tried(() => saveProbes(more))) {
      tell(said.saved);
      await tried(async () => void (probed.value = await runProbes(more)));
    }
  };
  return (
    <section class="probes" aria-labelledby="probes-title">
      <header>
        <h2 id="probes-title">{said.title}</h2>
        <button
          type="button"
          class="button small"
          disabled={!run.value || !canSave}
          title={why}
          onClick={() => void add()}
        >
          {words.run.saveProbe}
        </button>
        <button
          type="button"
          class="button small"
          disabled={!canSave}
          title={why}
          onClick={() => (isEdited.value = true)}
        >
          {said.edit}
        </button>
        <button type="button" class="button small" disabled={!kept.trim()} onClick={() => void runAll()}>
          {said.run}
        </button>
      </header>
      <p class="quiet">{kept.trim() ? said.lede : said.none}</p>
      {problem.value && (
        <p class="note bad" role="alert">
          {problem.value}
        </p>
      )}
      {probed.value && <Outcomes probed={probed.value} />}
      <Dialog isOpen={isEdited} title={said.editTitle}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const data = new FormData(event.currentTarget).get("probes");
            void tried(() => saveProbes(typeof data === "string" ? data : "")).then((isSaved) => {
              if (isSaved) isEdited.value = false;
              probed.value = null;
            });
          }}
        >
          <Field label={said.editTitle} hint={said.editHint}>
            {(id, hintId) => (
              <textarea
                id={id}
                name="probes"
                rows={12}
                wrap="off"
                spellcheck={false}
                class="code"
                aria-describedby={hintId}
                defaultValue={kept}
              />
            )}
          </Field>
          <FormFoot
            problem={problem.value}
            cancel={text.close}
            onCancel={() => (isEdited.value = false)}
            submit={said.save}
          />
        </form>
      </Dialog>
    </section>
  );
}

function Outcomes({ probed }: { probed: Probed }) {
  return (
    <>
      <p role="status">
        <b>{said.expected(probed.outcomes.length, probed.failed)}</b>{" "}
        <span class="quiet">{probed.draft ? said.ofDraft : said.inForce}</span>
      </p>
      <ul class="outcomes">
        {probed.outcomes.map((outcome) => (
          <li key={outcome.line} class={outcome.wrong.length ? "wrong" : "right"}>
            <Icon name={outcome.wrong.length ? "close" : "check"} />
            <span>
              {outcome.question}
              {outcome.wrong.map((wrong) => (
                <span key={wrong} class="quiet">
                  {wrong}
                </span>
              ))}
            </span>
            <span class="quiet">{said.rule(outcome.rule)}</span>
          </li>
        ))}
      </ul>
      {probed.left > 0 && <p class="quiet">{said.left(probed.left)}</p>}
    </>
  );
}
