import { ask } from "../store/asking";
import { edit } from "../store/editing";
import { toggleWhy } from "../store/why";
import type { Turn } from "../store/turn";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { CopyMenu } from "./CopyMenu";
import { Verdict } from "./Verdict";

export function Actions({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  return (
    <div class="actions">
      {turn.citations.length > 0 && <CopyMenu turn={turn} />}
      {!turn.reply?.no_answer && (
        <button type="button" class="button plain" onClick={() => edit(turn)}>
          <Icon name="pencil" /> {text.answer.edit}
        </button>
      )}
      {isLast && (
        <button type="button" class="button plain" onClick={() => void ask(turn.question, turn.id, turn)}>
          <Icon name="again" /> {text.answer.again}
        </button>
      )}
      {turn.reply && (
        <button type="button" class="button plain" onClick={() => toggleWhy(turn)}>
          <Icon name="help" /> {turn.reply.no_answer ? text.why.buttonNone : text.why.button}
        </button>
      )}
      <Verdict turn={turn} />
    </div>
  );
}
