import { isAskOpen } from "../store/book";

/** Go to the question box; on a small screen it comes to the front. */
export function focusAsk(): void {
  isAskOpen.value = true;
  document.getElementById("question")?.focus();
}
