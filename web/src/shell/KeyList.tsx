import { useEffect, useRef } from "preact/hooks";
import { text } from "../text/en";
import { areKeysListed, singleKeys } from "./keyboard";

/** The list of keys, and the switch that turns single letters off. */
export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = areKeysListed.value;
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    else if (!isOpen && dialog.current?.open) dialog.current.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (areKeysListed.value = false)}>
      <h2 id="keys-title">{text.keys.title}</h2>
      <dl class="keys">
        {text.keys.list.map(([key, meaning]) => (
          <>
            <dt>
              {key.split(/ +/).map((one) => (
                <kbd key={one} class="key">
                  {one}
                </kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => (singleKeys.value = event.currentTarget.checked)}
        />{" "}
        {text.keys.off} {singleKeys.value ? text.keys.on : text.keys.isOff}
      </label>
      <p>
        <button type="button" class="button" onClick={() => (areKeysListed.value = false)}>
          {text.close}
        </button>
      </p>
    </dialog>
  );
}
