/** The conversation that is shown, by its id on the server; it is in the page's address, which can be kept. */
import { effect, signal } from "@preact/signals";

const ADDRESS = /^#c\/([0-9a-f]{32})$/;

export const conversation = signal<string | null>(null);

/** The conversation that the page's address names. */
export function addressed(): string | null {
  return ADDRESS.exec(location.hash)?.[1] ?? null;
}

let isFirst = true;

effect(() => {
  const id = conversation.value;
  // what the address names in the beginning has yet to be opened
  if (isFirst || addressed() === id) {
    isFirst = false;
    return;
  }
  history.pushState(null, "", id ? `#c/${id}` : location.pathname + location.search);
});
