import { chosenSources, hasRules, model, models, RULES, toggle } from "../store/sources";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";

/** Whether the rules of the chat configuration are asked, and with which of the models that they offer. */
export function RulesToggle() {
  if (!hasRules.value) return null;
  const isChosen = chosenSources.value[0] === RULES;
  return (
    <>
      <button type="button" class="toggle" aria-pressed={isChosen} onClick={() => toggle(RULES)}>
        {isChosen && <Icon name="check" />} {text.home.rules}
      </button>
      {isChosen && models.value.length > 0 && (
        <select
          class="toggle"
          aria-label={text.home.model}
          value={model.value}
          onChange={(event) => (model.value = event.currentTarget.value)}
        >
          <option value="">{text.home.ownModel}</option>
          {models.value.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
