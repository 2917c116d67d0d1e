"""Read repositories, and files to copy into the image."""

import re
from itertools import pairwise

from vademecum.desks.composer.request.frames import Frame, is_open, value_after
from vademecum.desks.composer.request.words.word import Word


def read_repositories(frame: Frame, sentence: list[Word]) -> None:
    """Make a wish of a repository that a sentence names."""
    heads = [word for word in sentence if is_open(word) and word.term.means("field", "repository")]
    urls = [word for word in sentence if is_open(word) and word.term.token.kind == "url"]
    if not heads:
        return
    if not heads[0].wanted or not urls:
        if not heads[0].wanted and not urls:
            for head in heads:
                frame.wish("repository", "", [head], wanted=False)
        return
    key = codename = component = priority = ""
    words = [*heads]
    address = urls[0]
    for at, word in enumerate(sentence):
        place = (
            value_after(sentence, at)
            if word.term.means("field", "key", "priority") and is_open(word)
            else None
        )
        if word.term.means("field", "component", "suite") and is_open(word) and at + 1 < len(sentence):
            place = at + 1
        if place is None:
            continue
        value = sentence[place]
        if word.term.means("field", "key") and value.term.token.kind in {"url", "path"}:
            key = value.term.text
            address = next((url for url in urls if url is not value), address)
        elif word.term.means("field", "component"):
            component = value.term.token.text
        elif word.term.means("field", "suite"):
            codename = value.term.token.text
        elif word.term.means("field", "priority") and value.term.token.kind == "number":
            priority = value.norm
        else:
            continue
        words += [word, value]
    at = sentence.index(heads[0])
    named = sentence[at + 1] if at + 1 < len(sentence) else None
    if (
        not codename
        and named is not None
        and named.segment == heads[0].segment
        and named.term.token.kind == "quoted"
    ):
        codename = named.term.token.text
        words.append(named)
    if not key:
        frame.unclear(
            f"Which key signs the packages of {address.term.text}? Say its address.", [*words, address]
        )
        return
    everything = [
        word for word in frame.words if word.sentence in {sentence[0].sentence, sentence[0].sentence + 1}
    ]
    allow = _from_there(frame, everything)
    only = ",".join(allow) if any(word.norm == "nothing else" for word in everything) else ""
    frame.wish(
        "repository",
        address.term.text,
        [*words, address],
        wanted=True,
        key=key,
        codename=codename,
        component=component,
        priority=priority,
        allow=only,
    )


def _from_there(frame: Frame, words: list[Word]) -> list[str]:
    """The packages that a repository is named for."""
    found: list[str] = []
    if not any(word.term.means("field", "repository") for word in words):
        return found
    for place, word in enumerate(words):
        if not word.term.means("field", "from_there") or not is_open(word):
            continue
        word.used = True
        for other in words[max(0, place - 3) : place + 5]:
            if (
                is_open(other)
                and other.wanted
                and other.term.token.kind == "word"
                and (
                    not other.term.senses
                    or (other.term.has("package") and not other.term.has("filler", "verb", "article"))
                )
            ):
                found.append(other.term.text)
                frame.wish("package", other.term.text, [other], wanted=True, anyway="yes")
    return found


_RUNS = frozenset(
    ["run", "runs", "execute", "executes", "run the command", "run this command", "execute the command"]
)


def read_commands(frame: Frame, sentence: list[Word]) -> None:
    """Make a wish of a command in quotes that is to be run."""
    for before, word in pairwise(sentence):
        if before.norm in _RUNS and word.term.token.kind == "quoted" and before.wanted:
            word.used = before.used = False
            frame.wish("command", word.term.token.text, [before, word], wanted=True)


def read_files(frame: Frame, sentence: list[Word]) -> None:
    """Make wishes of files: those that are copied in, a passphrase, keys of Secure Boot."""
    paths = [
        word
        for word in sentence
        if is_open(word)
        and word.term.token.kind == "path"
        and not word.term.senses
        and not word.norm.endswith((".service", ".timer"))
    ]
    keys = [word for word in paths if re.search(r"\.(?:key|crt|cer|pem)$", word.norm)]
    head = next((word for word in frame.words if word.term.means("flag", "secure_boot")), None)
    if keys and head is not None:
        details = {}
        for word in keys:
            ending = word.norm.rpartition(".")[2]
            name = {"key": "key", "crt": "crt", "cer": "cer"}.get(
                ending, "crt" if "key" in details else "key"
            )
            details[name] = word.term.text
        frame.wish("secure_boot", "", [head, *keys], wanted=head.wanted, secret=None, **details)
        return
    ciphered = any(word.term.means("flag", "encryption") and word.wanted for word in frame.words)
    if any(
        word.term.means("field", "passphrase_file")
        or word.term.means("unlock", "manual", "auto")
        or word.term.means("flag", "encryption")
        or (ciphered and word.term.means("field", "password"))
        for word in sentence
    ):
        candidates = [
            word
            for word in paths
            if word.norm != "/"
            and not any(
                word.norm == f"/{part}" for part in ("home", "data", "var", "boot", "srv", "opt", "tmp")
            )
        ]
        if len(candidates) == 1 and not any(
            other.term.token.kind == "size" and other.segment == candidates[0].segment for other in sentence
        ):
            heads = [
                word
                for word in sentence
                if is_open(word) and word.term.means("field", "passphrase_file", "password")
            ]
            frame.wish("encryption", "", [candidates[0], *heads], wanted=True, file=candidates[0].term.text)
            return
    for at, word in enumerate(sentence):
        if word not in paths or word.used:
            continue
        target = next(
            (
                other
                for other in sentence[at + 1 : at + 10]
                if other.segment == word.segment
                and other in paths
                and other.term.text.startswith("/")
                and other.norm != "/"
            ),
            None,
        )
        between = sentence[at + 1 : sentence.index(target)] if target is not None else []
        if target is not None and any(
            other.norm in {"to", "into", "as", "in", "at", "goes to", "->", "→"} or other.term.has("copula")
            for other in between
        ):
            frame.wish("file", target.term.text, [word, target], wanted=word.wanted, local=word.term.text)
    for word in paths:
        if not word.used and re.search(r"\.\w+$", word.norm) and not word.term.text.startswith("/"):
            frame.unclear(
                f"Where is {word.term.text} to be in the image? Say it as in: {word.term.text} to /etc/...",
                [word],
            )
