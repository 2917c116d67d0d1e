import type { Source } from "../api/client";
import { RulesToggle } from "../ask/RulesToggle";
import { useMenu } from "../parts/menu";
import { titleOf, toggle } from "../store/sources";
import { text } from "../text/en";

interface Props {
  readonly chosen: readonly string[];
  readonly all: readonly Source[];
}

/** Which sources are asked; "Everything" excludes the others. */
export function SourcePicker({ chosen, all }: Props) {
  const { isOut, root, onKeyDown } = useMenu<HTMLDivElement>();
  const titles = chosen.map(titleOf);
  const says = titles.length > 1 ? `${titles[0] ?? ""} +${titles.length - 1}` : (titles[0] ?? text.home.all);
  return (
    <div class="picker" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button plain"
        aria-expanded={isOut.value}
        aria-controls="picker-list"
        onClick={() => (isOut.value = !isOut.value)}
      >
        <span class="asks">{text.box.ask}</span> {says}
      </button>
      {isOut.value && (
        <div class="picker-list" id="picker-list" role="group" aria-label={text.home.sources}>
          <button type="button" class="toggle" aria-pressed={!chosen.length} onClick={() => toggle("")}>
            {text.home.all}
          </button>
          {all.map((one) => (
            <button
              key={one.name}
              type="button"
              class="toggle"
              aria-pressed={chosen.includes(one.name)}
              disabled={one.problem !== ""}
              onClick={() => toggle(one.name)}
            >
              {one.title} <span class="count">{text.number(one.documents)}</span>
            </button>
          ))}
          <RulesToggle />
        </div>
      )}
    </div>
  );
}
