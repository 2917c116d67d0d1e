import { useSignal } from "@preact/signals";
import { signIn, signInProblem } from "../store/session";
import { text } from "../text/en";

/** A field for the key, and one button. The browser gets a cookie; the key itself is kept nowhere. */
export function SignIn() {
  const key = useSignal("");
  const problem = signInProblem.value;
  return (
    <form
      class="sign-in"
      aria-labelledby="sign-in-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.value.trim()) void signIn(key.value.trim());
      }}
    >
      <h2 id="sign-in-title">{text.signIn.title}</h2>
      <label for="key">{text.signIn.label}</label>
      <div class="field-row">
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          value={key.value}
          aria-invalid={problem !== null}
          aria-describedby="key-hint"
          onInput={(event) => (key.value = event.currentTarget.value)}
        />
        <button type="submit" class="button main">
          {text.signIn.button}
        </button>
      </div>
      {problem && (
        <p class="box-note" role="alert">
          {problem.status === 401
            ? text.signIn.wrong
            : [problem.detail, problem.hint].filter(Boolean).join(" ")}
        </p>
      )}
      <p id="key-hint" class="origin">
        {text.signIn.hint}
      </p>
    </form>
  );
}
