import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  readonly label: string;
  readonly hint?: string;
  /** The control, which gets the ids. */
  readonly children: (id: string, hintId: string | undefined) => ComponentChildren;
}

/** A control with its label above it, and a hint below. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint && (
        <p class="quiet" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}
