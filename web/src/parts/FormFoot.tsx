interface Props {
  /** What was refused, in words; "" for nothing. */
  readonly problem: string;
  readonly cancel: string;
  readonly onCancel: () => void;
  /** What the button says that submits the form; without it there is nothing to submit. */
  readonly submit?: string | undefined;
}

/** The end of a form in a dialog: what was refused, and its two buttons. */
export function FormFoot({ problem, cancel, onCancel, submit }: Props) {
  return (
    <>
      {problem && (
        <p class="box-note" role="alert">
          {problem}
        </p>
      )}
      <p class="form-foot">
        <button type="button" class="button plain" onClick={onCancel}>
          {cancel}
        </button>
        {submit && (
          <button type="submit" class="button main">
            {submit}
          </button>
        )}
      </p>
    </>
  );
}
