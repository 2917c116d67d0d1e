import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { hide, isPrinted, isTall, open, openCitation, openDocument, openTurn } from "../store/pane";
import { hashOf } from "../store/current";
import { laidOut, numberOf } from "../store/layout";
import { AROUND, around, load, proofOf, type Loaded } from "../store/proof";
import { sources } from "../store/sources";
import { originalOf, Problem } from "../api/client";
import { Command } from "../ask/ReadOn";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { DocumentText, MARK_ID } from "./DocumentText";
import { More } from "./More";
import { Printed } from "./Printed";
import { ProofLine, Stepper } from "./ProofLine";
import { Ruler } from "./Ruler";

const TITLE_ID = "pane-title";
const MARK_AT = 0.4;

/** The document beside the answer, scrolled so that the quote is at two fifths of its height. */
export function SourcePane() {
  const citation = openCitation.value;
  const alone = openDocument.value;
  const place = open.value;
  const turn = openTurn.value;
  const loaded = useSignal<Loaded | null>(null);
  const problem = useSignal("");
  const paper = useRef<HTMLDivElement>(null);
  const source = citation?.source ?? alone?.source ?? "";
  const document_ = citation?.document ?? alone?.document ?? "";

  useEffect(() => {
    let isCurrent = true;
    problem.value = "";
    if (!source) {
      loaded.value = null;
      problem.value = text.pane.elsewhere;
      return;
    }
    const fetched = citation ? around(citation) : load(source, document_, 0, 2 * AROUND);
    fetched
      .then((found) => {
        if (isCurrent) loaded.value = found;
      })
      .catch((error: unknown) => {
        if (!isCurrent) return;
        loaded.value = null;
        problem.value = error instanceof Problem && error.detail ? error.detail : text.pane.unreachable;
      });
    return () => {
      isCurrent = false;
    };
  }, [citation, source, document_]);

  const now = loaded.value?.id === document_ && loaded.value.source === source ? loaded.value : null;
  const isHere = now && citation ? now.start <= citation.start && citation.end <= now.end : false;
  const proof = citation ? proofOf(citation) : "checked";

  useLayoutEffect(() => {
    const mark = document.getElementById(MARK_ID);
    const sheet = paper.current;
    if (!sheet) return;
    if (!mark) {
      if (alone) sheet.scrollTop = 0;
      return;
    }
    const offset = mark.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
    sheet.scrollTop += offset - MARK_AT * sheet.clientHeight;
  }, [citation, now, isHere, proof, isPrinted.value]);

  useEffect(() => {
    if (window.document.activeElement?.closest(".pane")) return;
    window.document.getElementById(TITLE_ID)?.focus({ preventScroll: true });
  }, [alone]);

  const number = turn && place ? numberOf(turn, place.at) : 0;
  const title = citation?.document_ref ?? alone?.reference ?? "";
  const others = (turn?.citations ?? [])
    .filter((one) => one.document === document_ && one.source === source && one !== citation)
    .filter((one) => proofOf(one) === "checked");
  const spans = others.map(({ start, end }) => ({ start, end }));
  const marked =
    citation && isHere && proof === "checked" ? { start: citation.start, end: citation.end } : null;
  const section = sectionAt(now, citation?.start);
  const sourceTitle = sources.value?.find((one) => one.name === source)?.title ?? source;

  return (
    <aside class={`pane${isTall.value ? " tall" : ""}`} id="pane" aria-label={text.pane.label(title)}>
      <button
        type="button"
        class="handle"
        aria-label={text.pane.taller}
        aria-pressed={isTall.value}
        onClick={() => (isTall.value = !isTall.value)}
      />
      <div class="pane-head">
        <div class="pane-title">
          <h2 id={TITLE_ID} tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="button plain square" aria-label={text.close} onClick={hide}>
            <Icon name="close" />
          </button>
        </div>
        <p class="place">{[sourceTitle, title, section].filter(Boolean).join(" › ")}</p>
        {citation && turn && place && (
          <ProofLine citation={citation} proof={proof} at={number - 1} of={laidOut(turn).order.length} />
        )}
      </div>
      <div class="sheet">
        <div class="paper" ref={paper} tabIndex={0} role="document" aria-label={title}>
          {now?.is_printed && isPrinted.value ? (
            <Printed loaded={now} now={marked} />
          ) : now ? (
            <>
              {now.start > 0 && <More loaded={now} before onLoaded={(found) => (loaded.value = found)} />}
              <DocumentText loaded={now} now={marked} number={number} others={spans} />
              {now.end < now.length && <More loaded={now} onLoaded={(found) => (loaded.value = found)} />}
            </>
          ) : problem.value ? (
            <Gone quote={citation?.quote ?? ""} says={problem.value} />
          ) : (
            <p class="place">{text.pane.loading}</p>
          )}
        </div>
        {now && !(now.is_printed && isPrinted.value) && (
          <Ruler length={now.length} now={marked} others={spans} window={now} />
        )}
      </div>
      <div class="pane-foot">
        {turn && number > 0 && (
          <span class="foot-steps">
            <Stepper at={number - 1} of={laidOut(turn).order.length} />
          </span>
        )}
        {now?.read_on && (
          <>
            <span class="says">{text.pane.readOn}</span>
            <Command line={now.read_on} />
          </>
        )}
        {now?.is_printed && (
          <button
            type="button"
            class="button small"
            aria-pressed={isPrinted.value}
            onClick={() => (isPrinted.value = !isPrinted.value)}
          >
            {text.pane.printed}
          </button>
        )}
        {source && (
          <a
            class="button small whole"
            href={hashOf({ kind: "book", source, document: document_, span: null })}
            onClick={() => (isTall.value = false)}
          >
            {text.pane.whole}
          </a>
        )}
        {now?.has_original && (
          <a class="button small" href={originalOf(now.source, now.id)} download>
            {text.pane.original}
          </a>
        )}
      </div>
    </aside>
  );
}

/** A document that cannot be read any more: what it was quoted with stays, without a tick. */
function Gone({ quote, says }: { quote: string; says: string }) {
  return (
    <>
      <p>{says}</p>
      {quote && <blockquote class="document">{quote}</blockquote>}
    </>
  );
}

function sectionAt(loaded: Loaded | null, place: number | undefined): string {
  if (!loaded || place === undefined) return "";
  return loaded.sections.findLast((one) => one.start <= place)?.title ?? "";
}
