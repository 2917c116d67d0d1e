import { useEffect } from "preact/hooks";
import { chosenSources, loadSources, sources, sourcesProblem } from "../store/sources";
import { Command } from "./ReadOn";
import { text } from "../text/en";
import { isKeyWanted } from "../store/session";
import { QuestionBox } from "./QuestionBox";
import { SignIn } from "./SignIn";
import { SourceToggles } from "../shell/SourcePicker";

const LOOK_MS = 3000;

export function Home() {
  const found = sources.value;
  const problem = sourcesProblem.value;
  if (found && !found.some((one) => !one.problem)) return <FirstRun />;
  return (
    <div class="scroll">
      <div class="column home">
        <h1>{text.home.title}</h1>
        <p class="lede">{text.home.lede}</p>
        <QuestionBox isFirst />
        {isKeyWanted.value ? (
          <SignIn />
        ) : (
          <div class="toggles" role="group" aria-label={text.home.sources} aria-hidden={!found}>
            {found ? (
              <SourceToggles chosen={chosenSources.value} all={found} />
            ) : (
              [0, 1].map((at) => <span key={at} class="pill" />)
            )}
          </div>
        )}
        {problem && !problem.isOffline && problem.status !== 401 && (
          <p class="box-note" role="alert">
            {[problem.detail, problem.hint].filter(Boolean).join(" ")}
          </p>
        )}
      </div>
    </div>
  );
}

/** Nothing to ask yet: the command to run, and the page goes on by itself. */
function FirstRun() {
  useEffect(() => {
    const timer = setInterval(() => void loadSources(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const waiting = (sources.value ?? []).map((one) => one.title);
  return (
    <div class="scroll">
      <div class="column home">
        <h1>{text.firstRun.title}</h1>
        <p class="lede">{text.firstRun.lede}</p>
        {waiting.length > 0 && <p>{text.firstRun.found(waiting)}</p>}
        <p>{text.firstRun.run}</p>
        <p>
          <Command line={text.firstRun.command} />
        </p>
        <p class="lede" role="status">
          {text.firstRun.waiting}
        </p>
        <p class="lede">{text.firstRun.safe}</p>
      </div>
    </div>
  );
}
