/** Whether the server is there. After it was not, it is looked for until it is. */
import { effect, signal } from "@preact/signals";
import { request } from "../api/client";
import { turns } from "./asking";
import { check } from "./proof";
import { begin } from "./session";
import { sourcesProblem } from "./sources";

export const isOnline = signal(true);

const LOOK_MS = 2000;
let timer = 0;

effect(() => {
  const last = turns.value.at(-1);
  if (last?.problem?.isOffline || sourcesProblem.value?.isOffline) isOnline.value = false;
});

effect(() => {
  if (!isOnline.value) timer = window.setTimeout(look, LOOK_MS);
  else clearTimeout(timer);
});

function look(): void {
  request("/healthz")
    .then(async () => {
      await begin();
      isOnline.value = true;
      for (const { citations } of turns.value) check(citations); // what could not be checked meanwhile
    })
    .catch(() => (timer = window.setTimeout(look, LOOK_MS)));
}
