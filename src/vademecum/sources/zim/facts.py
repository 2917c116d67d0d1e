"""From an article's page to its `Document`: title, summary, and the articles it points to."""

import posixpath
from urllib.parse import unquote

from vademecum.core.documents import Document, DocumentRef
from vademecum.sources._html import HtmlLink, HtmlPage
from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.directory import Item
from vademecum.text.sentences import first_sentence

_LONGEST_SUMMARY = 200
_MOST_KEPT = 50_000


class LinkNames:
    """The titles of articles by path, for one archive. What was asked for is kept.

    Args:
        archive: The archive.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._found: dict[str, str] = {}

    def names(self, item: Item, links: tuple[HtmlLink, ...]) -> tuple[str, ...]:
        """The titles of the articles that links on a page lead to, each once, in order."""
        prefix = item.namespace.decode("latin-1")
        folder = posixpath.dirname(f"{prefix}/{item.path.decode('utf-8', 'replace')}")
        here = posixpath.normpath(folder)
        is_inside = here == prefix or here.startswith(f"{prefix}/")
        found: dict[str, None] = {}
        for link in links:
            target = unquote(link.target.partition("?")[0])
            if is_inside and target.strip(".") and "/" not in target:
                place = f"{here}/{target}"  # which is what is left of most links' paths
            else:
                place = posixpath.normpath(posixpath.join(folder, target))
            root, _, path = place.partition("/")
            if root == prefix and path and (name := self._name(path, link.title)):
                found[name] = None
        found.pop(item.shown_title, None)
        return tuple(found)

    def _name(self, path: str, tooltip: str) -> str:
        if tooltip and tooltip.replace(" ", "_") == path:
            return tooltip  # as wikis do it, so nothing need be looked up
        name = self._found.get(path)
        if name is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            name = self._found[path] = self._look_up(path)
        return name

    def _look_up(self, path: str) -> str:
        found = self._archive.directory.find(self._archive.header.content, path.encode(errors="replace"))
        if found is None or (found.target < 0 and not self._archive.is_article(found)):
            return ""
        return found.shown_title


def make_document(
    ref: DocumentRef, item: Item, page: HtmlPage, links: tuple[str, ...], language: str
) -> Document:
    """Join what the directory knows and what the page shows."""
    reference = ref.names[0]
    title = item.shown_title if item.title else page.title
    return Document(
        key=ref.key,
        reference=reference,
        title=title or reference,
        summary=summary_of(page),
        names=ref.names,
        text=page.text,
        blocks=page.blocks,
        links=links,
        language=language,
    )


def summary_of(page: HtmlPage) -> str:
    """The first sentence of the first paragraph that has one, cut between words where it is long."""
    first = ""
    for block in page.blocks:
        if block.kind == "paragraph" and block.level == 0:
            text = " ".join(page.text[block.start : block.end].split())
            first = first or text
            if text.endswith((".", "!", "?", "…", "。")) or len(text) > _LONGEST_SUMMARY:
                return first_sentence(text, _LONGEST_SUMMARY)
    return first_sentence(first, _LONGEST_SUMMARY)
