/** Server-sent events out of a response: `event:` and `data:` lines, whatever pieces they arrive in. */

export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
}

/** Collects text and gives whole events. */
export class EventParser {
  #rest = "";

  push(text: string): ServerEvent[] {
    this.#rest = (this.#rest + text).replaceAll("\r\n", "\n");
    const found: ServerEvent[] = [];
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const event = parse(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end + 2);
      if (event) found.push(event);
    }
    return found;
  }
}

function parse(block: string): ServerEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (!data.length) return null;
  try {
    return { name, data: JSON.parse(data.join("\n")) as unknown };
  } catch {
    return null;
  }
}

/** The events of a response, until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
