"""What is kept of a conversation is leaned on, but for what led nowhere."""

from dataclasses import replace

from vademecum.ask.conversation import talk
from vademecum.core.answers import Answer, Reference
from vademecum.files.places import Places


def answered(text, *references, read_as=""):
    found = tuple(
        Reference(number=n, alias="man", document_ref=one, label=one, notes="")
        for n, one in enumerate(references, 1)
    )
    answer = Answer(
        question=text,
        outcome="answered",
        confidence=1.0,
        answerability=1.0,
        references=found,
        no_answer=not found,
    )
    return replace(answer, read_as=read_as)


def test_a_follow_up_that_led_nowhere_is_not_leaned_on(tmp_path):
    places = Places(data=tmp_path / "data", config=tmp_path / "config")
    seen = []

    def ask(text, *references, read_as=""):
        talk(
            places,
            "work",
            text,
            lambda said, before: seen.append(before) or answered(said, *references, read_as=read_as),
        )

    ask("create a tar archive", "tar(1)")
    ask("now make me a coffee", read_as="create tar archive make coffee")
    ask("and recursively?", "tar(1)", read_as="create tar archive recursively")
    assert [one.asked for one in seen[2]] == ["create a tar archive"]
    ask("where are the logs of flumox?")
    ask("and of walrus?")
    assert [one.asked for one in seen[4]][-1] == "where are the logs of flumox?", "a question of its own is"
