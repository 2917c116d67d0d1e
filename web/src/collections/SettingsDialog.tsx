import { useSignal, type Signal } from "@preact/signals";
import { inWords, type Collection } from "../api/client";
import { change, create, type Settings } from "../store/collections";
import { go } from "../store/current";
import { models } from "../store/sources";
import { Dialog } from "../parts/Dialog";
import { Field } from "../parts/Field";
import { FormFoot } from "../parts/FormFoot";
import { words } from "../text/collections";
import { text } from "../text/en";

const { form } = words;

interface Props {
  readonly isOpen: Signal<boolean>;
  /** The collection whose settings are changed; null for a new one. */
  readonly collection: Collection | null;
}

/** The name, the description, and what is handed to models: of a new collection, or of one that is there. */
export function SettingsDialog({ isOpen, collection }: Props) {
  return (
    <Dialog isOpen={isOpen} title={collection ? words.settings : words.newTitle}>
      <Form isOpen={isOpen} collection={collection} />
    </Dialog>
  );
}

function Form({ isOpen, collection }: Props) {
  const problem = useSignal("");
  const now = collection?.metadata ?? {};
  const save = async (data: FormData) => {
    const given = (name: string) => {
      const value = data.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const settings: Settings = {
      description: given("description"),
      prompt: given("prompt") || null,
      max_tokens: given("tokens") ? Number(given("tokens")) : null,
      model: given("model") || null,
    };
    try {
      if (collection) await change(collection.name, { ...settings });
      else {
        await create(given("name"), settings);
        go({ kind: "collections", name: given("name") });
      }
      isOpen.value = false;
    } catch (error) {
      problem.value = inWords(error, text.answer.notReached);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      {!collection && (
        <Field label={form.name} hint={form.nameHint}>
          {(id, hintId) => (
            <input
              id={id}
              name="name"
              required
              maxLength={63}
              pattern="[a-z0-9]([a-z0-9_\-]*[a-z0-9])?"
              title={form.nameHint}
              autocomplete="off"
              aria-describedby={hintId}
            />
          )}
        </Field>
      )}
      <Field label={form.description} hint={form.descriptionHint}>
        {(id, hintId) => (
          <textarea
            id={id}
            name="description"
            rows={2}
            maxLength={2000}
            aria-describedby={hintId}
            defaultValue={collection?.description ?? ""}
          />
        )}
      </Field>
      <Field label={form.prompt} hint={form.promptHint}>
        {(id, hintId) => (
          <textarea
            id={id}
            name="prompt"
            rows={3}
            maxLength={20_000}
            aria-describedby={hintId}
            defaultValue={asText(now.prompt)}
          />
        )}
      </Field>
      <Field label={form.tokens}>
        {(id) => (
          <input
            id={id}
            name="tokens"
            type="number"
            min={1}
            max={1_000_000}
            defaultValue={asText(now.max_tokens)}
          />
        )}
      </Field>
      <Field label={form.model} hint={form.modelHint}>
        {(id, hintId) => (
          <>
            <input
              id={id}
              name="model"
              list={`${id}-models`}
              maxLength={200}
              autocomplete="off"
              aria-describedby={hintId}
              defaultValue={asText(now.model)}
            />
            <datalist id={`${id}-models`}>
              {models.value.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <FormFoot
        problem={problem.value}
        cancel={form.cancel}
        onCancel={() => (isOpen.value = false)}
        submit={collection ? form.save : form.create}
      />
    </form>
  );
}

function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
