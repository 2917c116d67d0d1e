import type { Source } from "../api/client";
import { RulesToggle } from "../ask/RulesToggle";
import { Icon } from "../parts/Icon";
import { useMenu } from "../parts/menu";
import { titleOf, toggle } from "../store/sources";
import { text } from "../text/en";

interface Props {
  readonly chosen: readonly string[];
  readonly all: readonly Source[];
}

/** A button for each source, and one for all. */
export function SourceToggles({ chosen, all }: Props) {
  return (
    <>
      <button type="button" class="toggle" aria-pressed={!chosen.length} onClick={() => toggle("")}>
        {!chosen.length && <Icon name="check" />} {text.home.all}
      </button>
      {all.map((one) => (
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
    </>
  );
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
          <SourceToggles chosen={chosen} all={all} />
        </div>
      )}
    </div>
  );
}
