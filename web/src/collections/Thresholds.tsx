import { useSignal, type Signal } from "@preact/signals";
import { inWords, json, sending, type Collection } from "../api/client";
import { change, pathOf } from "../store/collections";
import { tell } from "../store/removal";
import { Dialog } from "../parts/Dialog";
import { Field } from "../parts/Field";
import { FormFoot } from "../parts/FormFoot";
import { words } from "../text/collections";
import { text } from "../text/en";
import { Chart } from "./Chart";
import { flips, questionsOf, type Lines, type Tried } from "./thresholds";

const said = words.thresholds;
const MOST = 50;

interface Trial {
  readonly questions: readonly Tried[];
  readonly match_threshold: number | null;
  readonly partial_threshold: number | null;
  readonly fits: boolean;
  readonly suggested: { readonly match_threshold: number; readonly partial_threshold: number } | null;
}

/** The two thresholds of a collection, as lines across the distances of pasted questions. */
export function Thresholds({ collection }: { collection: Collection }) {
  const isPasting = useSignal(false);
  const tried = useSignal<readonly Tried[]>([]);
  const unexpected = useSignal<ReadonlySet<string>>(new Set());
  const before = useSignal<Lines | null>(null);
  const lines = useSignal<Lines>({ match: 0, partial: 0 });
  const problem = useSignal("");
  const path = `${pathOf(collection.name)}/calibrate`;

  /** Try questions, and put the lines where they are in force; or where they are suggested. */
  const look = async (questions: readonly string[], isSuggested: boolean) => {
    const expected = questions.map((question) => !unexpected.value.has(question));
    try {
      const found = await json<Trial>(path, sending("POST", { questions, expected }));
      tried.value = [...found.questions].sort((one, other) => one.distance - other.distance);
      const { match_threshold: match, partial_threshold: partial, suggested, fits } = found;
      before.value = match === null ? null : { match, partial: partial ?? match };
      if ((isSuggested || !before.value || !fits) && suggested) {
        lines.value = { match: suggested.match_threshold, partial: suggested.partial_threshold };
      } else if (before.value) lines.value = before.value;
      problem.value = fits ? "" : said.otherScale;
    } catch (error) {
      problem.value = inWords(error, text.answer.notReached);
    }
  };
  const save = async () => {
    const { match, partial } = lines.value;
    try {
      await change(collection.name, { match_threshold: match, partial_threshold: partial });
      before.value = lines.value;
      problem.value = "";
      tell(said.saved);
    } catch (error) {
      problem.value = inWords(error, text.answer.notReached);
    }
  };
  const { match_threshold: match = null, partial_threshold: partial = match } =
    collection.metadata as Partial<Trial>;
  const count = flips(tried.value, before.value, lines.value);
  const isMoved = before.value?.match !== lines.value.match || before.value.partial !== lines.value.partial;
  const questions = tried.value.map(({ question }) => question);
  return (
    <section class="panel" aria-labelledby="thresholds-title">
      <header class="panel-head">
        <div>
          <h3 id="thresholds-title">{said.title}</h3>
          <p class="quiet">
            {said.lede} {match !== null && partial !== null && <b>{said.inForce(match, partial)}</b>}
          </p>
        </div>
        <button type="button" class="button" onClick={() => (isPasting.value = true)}>
          {said.paste}
        </button>
      </header>
      {problem.value && (
        <p class="note bad" role="alert">
          {problem.value}
        </p>
      )}
      {tried.value.length === 0 ? (
        <p class="panel-line quiet">{said.empty}</p>
      ) : (
        <>
          <p class="panel-line quiet">
            {said.meaning} {!before.value && said.unset}
          </p>
          <Chart tried={tried.value} lines={lines} before={before.value} unexpected={unexpected} />
          <div class="panel-foot">
            <p role="status">
              {before.value && <b>{said.changes(count, tried.value.length)}</b>} {isMoved && said.notYet}
            </p>
            <span class="spread" />
            <button type="button" class="button plain" onClick={() => void look(questions, true)}>
              {said.suggest}
            </button>
            {before.value && (
              <button
                type="button"
                class="button plain"
                disabled={!isMoved}
                onClick={() => {
                  if (before.value) lines.value = before.value;
                }}
              >
                {said.putBack}
              </button>
            )}
            <button
              type="button"
              class="button main"
              disabled={!isMoved || !collection.may_change}
              title={collection.may_change ? undefined : words.readOnly}
              onClick={() => void save()}
            >
              {said.save}
            </button>
          </div>
        </>
      )}
      <Dialog isOpen={isPasting} title={said.pasteTitle}>
        <Paste isOpen={isPasting} now={questions} onTry={(asked) => look(asked, false)} />
      </Dialog>
    </section>
  );
}

interface PasteProps {
  readonly isOpen: Signal<boolean>;
  readonly now: readonly string[];
  readonly onTry: (questions: readonly string[]) => Promise<void>;
}

function Paste({ isOpen, now, onTry }: PasteProps) {
  const problem = useSignal("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget).get("questions");
        const questions = questionsOf(typeof data === "string" ? data : "");
        if (questions.length > MOST) problem.value = said.tooMany(questions.length, MOST);
        else if (questions.length) void onTry(questions).then(() => (isOpen.value = false));
      }}
    >
      <Field label={said.pasteTitle} hint={said.pasteHint(MOST)}>
        {(id, hintId) => (
          <textarea
            id={id}
            name="questions"
            rows={8}
            required
            aria-describedby={hintId}
            defaultValue={now.join("\n")}
          />
        )}
      </Field>
      <FormFoot
        problem={problem.value}
        cancel={words.form.cancel}
        onCancel={() => (isOpen.value = false)}
        submit={said.try}
      />
    </form>
  );
}
