/** From places in the page to offsets in the document's text, and back.
 *
 * The children of the element that shows a document are its blocks, in order, and their text is the document's.
 */
import type { Loaded } from "../store/proof";
import { pointsIn, type Span } from "../text/codepoints";

/** The stretch of the document that a range of the page touches; null where it touches none. */
export function spanOf(range: Range, root: Element, loaded: Loaded): Span | null {
  const whole = document.createRange();
  whole.selectNodeContents(root);
  const first = whole.comparePoint(range.startContainer, range.startOffset);
  const last = whole.comparePoint(range.endContainer, range.endOffset);
  if (first > 0 || last < 0) return null;
  const start = first < 0 ? loaded.start : offsetOf(range.startContainer, range.startOffset, root, loaded);
  const end = last > 0 ? loaded.end : offsetOf(range.endContainer, range.endOffset, root, loaded);
  return start < end ? { start, end } : null;
}

function offsetOf(node: Node, at: number, root: Element, loaded: Loaded): number {
  if (node === root) return loaded.blocks[at]?.[1] ?? loaded.end;
  let block: Node = node;
  while (block.parentNode && block.parentNode !== root) block = block.parentNode;
  const start = loaded.blocks[Array.prototype.indexOf.call(root.children, block)]?.[1] ?? loaded.end;
  const before = document.createRange();
  before.setStart(block, 0);
  before.setEnd(node, at);
  return start + pointsIn(before.toString());
}

/** The range of the page that shows a stretch of the document; null where it is not here. */
export function rangeOf(span: Span, root: Element, loaded: Loaded): Range | null {
  const range = document.createRange();
  const first = pointOf(span.start, root, loaded);
  const last = pointOf(span.end, root, loaded);
  if (!first || !last) return null;
  range.setStart(...first);
  range.setEnd(...last);
  return range;
}

function pointOf(place: number, root: Element, loaded: Loaded): [Node, number] | null {
  if (place < loaded.start || place > loaded.end) return null;
  const at = blockAt(place, loaded);
  const block = loaded.blocks[at];
  const element = root.children[at];
  if (!block || !element) return null;
  const unit = (point: number) => loaded.points.unit(point - loaded.start);
  let rest = unit(Math.min(place, block[2])) - unit(block[1]);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let last: Node | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (rest <= length) return [node, rest];
    rest -= length;
    last = node;
  }
  return last ? [last, last.nodeValue?.length ?? 0] : null;
}

/** The number of the last block that begins at a place, or before it. */
export function blockAt(place: number, loaded: Loaded): number {
  let low = 0;
  let high = loaded.blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((loaded.blocks[middle]?.[1] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
