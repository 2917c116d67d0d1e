import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  readonly isOpen: Signal<boolean>;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A dialog with a title. Focus is kept inside, and returns to what opened it. */
export function Dialog({ isOpen, title, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value && !dialog.current?.open) dialog.current?.showModal();
    else if (!isOpen.value && dialog.current?.open) dialog.current.close();
  }, [isOpen.value]);
  return (
    <dialog ref={dialog} class="form-dialog" aria-label={title} onClose={() => (isOpen.value = false)}>
      {isOpen.value && (
        <>
          <h2>{title}</h2>
          {children}
        </>
      )}
    </dialog>
  );
}
