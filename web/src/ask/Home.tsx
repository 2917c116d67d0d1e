import { useEffect } from "preact/hooks";
import { chosenSources, loadSources, sources, sourcesProblem, toggle } from "../store/sources";
import { Command } from "./ReadOn";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { isKeyWanted } from "../store/session";
import { RulesToggle } from "./RulesToggle";
import { QuestionBox } from "./QuestionBox";
import { SignIn } from "./SignIn";

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
        {isKeyWanted.value ? <SignIn /> : <SourceToggles />}
        {problem && !problem.isOffline && problem.status !== 401 && (
          <p class="box-note" role="alert">
            {[problem.detail, problem.hint].filter(Boolean).join(" ")}
          </p>
        )}
      </div>
    </div>
  );
}

function SourceToggles() {
  const found = sources.value;
  if (!found) {
    return (
      <div class="toggles" aria-hidden="true">
        <span class="pill" />
        <span class="pill" />
        <span class="pill" />
      </div>
    );
  }
  const chosen = chosenSources.value;
  return (
    <div class="toggles" role="group" aria-label={text.home.sources}>
      <button type="button" class="toggle" aria-pressed={!chosen.length} onClick={() => toggle("")}>
        {!chosen.length && <Icon name="check" />} {text.home.all}
      </button>
      {found.map((one) => (
        <button
          key={one.name}
          type="button"
          class="toggle"
          aria-pressed={chosen.includes(one.name)}
          disabled={one.problem !== ""}
          title={one.problem || one.name}
          onClick={() => toggle(one.name)}
        >
          {chosen.includes(one.name) && <Icon name="check" />} {one.title}{" "}
          <span class="count">{text.number(one.documents)}</span>
        </button>
      ))}
      <RulesToggle />
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
