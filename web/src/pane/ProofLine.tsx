import type { Citation } from "../api/client";
import { step } from "../store/pane";
import type { Proof } from "../store/proof";
import { Icon, type IconName } from "../parts/Icon";
import { text } from "../text/en";

const ICONS: Record<Proof, IconName> = {
  checking: "clock",
  checked: "shield",
  failed: "warning",
  gone: "lost",
  unreachable: "clock",
  elsewhere: "globe",
};

interface Props {
  readonly citation: Citation;
  readonly proof: Proof;
  readonly at: number;
  readonly of: number;
}

/** Whether the quote is in the document, as this page found out by itself. */
export function ProofLine({ citation, proof, at, of }: Props) {
  return (
    <div class={`proof ${proof}`}>
      <Icon name={ICONS[proof]} />
      <p class="says" role={proof === "failed" ? "alert" : "status"}>
        <Says citation={citation} proof={proof} />
      </p>
      <Stepper at={at} of={of} />
    </div>
  );
}

function Says({ citation, proof }: { citation: Citation; proof: Proof }) {
  switch (proof) {
    case "checking":
      return <>{text.pane.loading}</>;
    case "checked":
      return (
        <>
          <b>{text.pane.checkedFirst}</b> {text.pane.checkedRest(citation.start, citation.end)}
        </>
      );
    case "failed":
      return <b>{text.pane.failed}</b>;
    case "gone":
      return <b>{text.pane.gone}</b>;
    case "unreachable":
      return <>{text.pane.unreachable}</>;
    case "elsewhere":
      return <>{text.pane.elsewhere}</>;
  }
}

export function Stepper({ at, of }: { at: number; of: number }) {
  return (
    <div class="stepper">
      <button type="button" aria-label={text.pane.before} onClick={() => step(-1)}>
        <Icon name="left" />
      </button>
      <span>{text.citation.of(at + 1, of)}</span>
      <button type="button" aria-label={text.pane.after} onClick={() => step(1)}>
        <Icon name="right" />
      </button>
    </div>
  );
}
