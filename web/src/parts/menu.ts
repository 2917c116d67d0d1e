import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** A button with a list that is out until Escape is pressed, or something else is pressed or focused. */
export function useMenu<Root extends HTMLElement>() {
  const isOut = useSignal(false);
  const root = useRef<Root>(null);
  const focus = () => root.current?.querySelector("button")?.focus();
  useEffect(() => {
    const away = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) isOut.value = false;
    };
    const heard = new AbortController();
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, away, heard);
    return () => heard.abort();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOut.value) return;
    event.preventDefault();
    isOut.value = false;
    focus();
  };
  return { isOut, root, focus, onKeyDown };
}
