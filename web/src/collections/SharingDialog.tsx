import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inWords, json, type Collection } from "../api/client";
import { change } from "../store/collections";
import { me } from "../store/session";
import { Dialog } from "../parts/Dialog";
import { Field } from "../parts/Field";
import { FormFoot } from "../parts/FormFoot";
import { words } from "../text/collections";
import { text } from "../text/en";

const said = words.sharing;

interface Props {
  readonly isOpen: Signal<boolean>;
  readonly collection: Collection;
}

/** The keys that may ask a collection besides its owner's. */
export function SharingDialog({ isOpen, collection }: Props) {
  return (
    <Dialog isOpen={isOpen} title={said.title(collection.name)}>
      <Form isOpen={isOpen} collection={collection} />
    </Dialog>
  );
}

function Form({ isOpen, collection }: Props) {
  const problem = useSignal("");
  const known = useSignal<readonly string[]>([]);
  useEffect(() => {
    if (me.value?.role !== "admin") return;
    json<{ keys: { name: string }[] }>("/api/keys")
      .then(({ keys }) => (known.value = keys.map((key) => key.name)))
      .catch(() => null); // names can be typed without the list
  }, []);
  const save = async (data: FormData) => {
    const given = data.get("names");
    const names = (typeof given === "string" ? given : "").split(/[,\n]/).map((name) => name.trim());
    try {
      await change(collection.name, { shared_with: names.filter(Boolean) });
      isOpen.value = false;
    } catch (error) {
      problem.value = inWords(error, text.answer.notReached);
    }
  };
  const isOpenServer = me.value?.signed_in === false && !known.value.length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      {isOpenServer ? (
        <p>{said.open}</p>
      ) : (
        <>
          <Field label={said.label} hint={said.hint}>
            {(id, hintId) => (
              <input
                id={id}
                name="names"
                autocomplete="off"
                aria-describedby={hintId}
                defaultValue={collection.shared_with.join(", ")}
              />
            )}
          </Field>
          {known.value.length > 0 && <p class="quiet">{said.known(known.value)}</p>}
        </>
      )}
      <FormFoot
        problem={problem.value}
        cancel={isOpenServer ? text.close : words.form.cancel}
        onCancel={() => (isOpen.value = false)}
        submit={isOpenServer ? undefined : words.form.save}
      />
    </form>
  );
}
