"""A very small library that truly searches: pages by shared words, passages by BM25, answers that quote."""

import json
import math
import re
from collections import Counter

import pytest

from vademecum.core.answers import Answer, Citation, Hit, Reference, Statement
from vademecum.core.errors import AnswerError, IndexCorrupt

PAGES = {
    "chmod(1)": "chmod - change file mode bits\n-R, --recursive: change files and directories recursively",
    "chown(1)": "chown - change file owner and group\n-R, --recursive: operate on files recursively",
    "tar(1)": "tar - an archiving utility\n-x, --extract: extract files from an archive\n-c, --create: create an archive",
    "open(2)": "open, openat - open and possibly create a file\nO_EXCL: ensure that this call creates the file",
    "open(3perl)": "open - perl pragma to set default layers for input and output",
    "cron(8)": "cron - daemon to execute scheduled commands",
}
STOP = re.compile("a|an|and|the|to|of|for|in|on|how|do|i|is|what|my|from|files?")


def words(text):
    return [word for word in re.findall(r"[a-z0-9_]+", text.lower()) if not STOP.fullmatch(word)]


class WordOverlap:
    """Pages ranked by the share of the question's words they hold; answered with the best line, quoted."""

    def __init__(self, pages, *, threshold=0.5):
        self.pages = {f"man:{number:064x}": page for number, page in enumerate(pages.items())}
        self.threshold = threshold

    def text(self, document):
        if document not in self.pages:
            raise IndexCorrupt(f"{document} is not in the index")
        return self.pages[document][1]

    def search(self, question, limit=10):
        wanted = set(self.understood(question))
        scores = {d: len(wanted.intersection(words(text))) for d, (_, text) in self.pages.items()}
        best = sorted((d for d in scores if scores[d]), key=lambda d: (-scores[d], d))[:limit]
        return [self.hit(d, self.spans(d)[0], scores[d], rank) for rank, d in enumerate(best, start=1)]

    def search_passages_bm25(self, question, limit=10):
        wanted = self.understood(question)
        passages = [
            (d, span, words(self.text(d)[slice(*span)])) for d in self.pages for span in self.spans(d)
        ]
        length = sum(len(held) for *_, held in passages) / len(passages)
        occurs = Counter(word for *_, held in passages for word in set(held))
        best = {}
        for document, span, held in passages:
            counts = Counter(held)
            score = sum(
                math.log(1 + (len(passages) - occurs[word] + 0.5) / (occurs[word] + 0.5))
                * (counts[word] * 2.2 / (counts[word] + 1.2 * (0.25 + 0.75 * len(held) / length)))
                for word in wanted
                if counts[word]
            )
            if score > best.get(document, (0,))[0]:
                best[document] = (score, span)
        order = sorted(best, key=lambda d: (-best[d][0], d))[:limit]
        return [self.hit(d, best[d][1], best[d][0], rank) for rank, d in enumerate(order, start=1)]

    def ask(self, question):
        wanted = set(self.understood(question))
        hits = self.search(question, limit=1)
        covered = hits[0].score / len(wanted) if hits else 0.0
        if covered < self.threshold:
            return Answer(
                question=question,
                outcome="not_found",
                confidence=covered,
                answerability=covered,
                no_answer=True,
            )
        (hit,) = hits
        start, end = max(
            self.spans(hit.document),
            key=lambda span: len(wanted.intersection(words(self.text(hit.document)[slice(*span)]))),
        )
        quote = self.text(hit.document)[start:end]
        place = {"alias": "man", "document_ref": hit.reference}
        return Answer(
            question=question,
            outcome="answered",
            confidence=covered,
            answerability=covered,
            summary=(Statement(text=quote, citations=(0,)),),
            references=(Reference(number=1, label=hit.reference, **place),),
            citations=(
                Citation(
                    number=1,
                    document=hit.document,
                    location=hit.reference,
                    start=start,
                    end=end,
                    quote=quote,
                    **place,
                ),
            ),
        )

    def understood(self, question):
        if not words(question):
            raise AnswerError("no word of it says what is asked", hint="Name what you look for.")
        return words(question)

    def spans(self, document):
        return [match.span() for match in re.finditer(r"[^\n]+", self.text(document))]

    def hit(self, document, span, score, rank):
        reference, text = self.pages[document]
        section = reference[reference.index("(") :]
        return Hit(
            rank=rank,
            alias="man",
            document=document,
            reference=reference,
            names=tuple(f"{name.strip()}{section}" for name in text.split(" - ")[0].split(",")),
            title=reference,
            summary="",
            passage=f"{document}:0",
            start=span[0],
            end=span[1],
            text=text[slice(*span)],
            score=score,
        )


def render_plain(answer):
    lines = [statement.text for statement in (*answer.summary, *answer.steps)]
    return "\n".join([*lines, *(reference.label for reference in answer.references)])


@pytest.fixture
def manuals():
    return WordOverlap(PAGES)


@pytest.fixture
def plain():
    return render_plain


@pytest.fixture
def write_questions(tmp_path):
    """Write a file of questions: a dictionary becomes a JSON line, a string or bytes stand as they are."""

    def write(*lines, name="questions.jsonl"):
        path = tmp_path / name
        shown = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in shown))
        return path

    return write
