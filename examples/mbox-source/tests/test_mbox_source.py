"""The source keeps the promises of every source, and its quotations are exact."""

import mailbox
from contextlib import closing
from email.message import EmailMessage

import pytest
from vademecum_mbox import MboxSource

from vademecum import Library, SourceError
from vademecum.testing import broken_promises

MESSAGES = {
    "On call in May": "Hello,\n\nAna is on call in May, and Bob in June.\n\n> Who is on call?\n",
    "The printer": "The printer on the second floor takes A3 paper only.\n",
    "": "A message without a subject is found as well: the code of the gate is 4711.\n",
}


@pytest.fixture
def file(tmp_path):
    with closing(mailbox.mbox(tmp_path / "team.mbox")) as box:
        for number, (subject, body) in enumerate(MESSAGES.items()):
            message = EmailMessage()
            message["From"] = "ana@example.org"
            message["Date"] = f"Mon, {number + 1} May 2023 10:00:00 +0000"
            message["Message-ID"] = f"<{number}@example.org>"
            if subject:
                message["Subject"] = subject
            message.set_content(body)
            box.add(message)
    return tmp_path / "team.mbox"


def test_it_keeps_the_promises_of_a_source(file):
    assert broken_promises(MboxSource(file, "team")) == []


def test_mail_is_asked_and_quoted_exactly(file, tmp_path):
    with Library.open(tmp_path / "library") as library:
        report = library.add(file)
        assert (report.documents, report.problems) == (3, ())
        answer = library.ask("Who is on call in May?")
        assert answer.summary[0].text == "Ana is on call in May, and Bob in June."
        citation = answer.citations[0]
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote
        assert library.ask("What is the code of the gate?").citations[0].document_ref.startswith("no subject")


def test_what_is_not_a_file_is_named(tmp_path):
    with pytest.raises(SourceError, match="is not a file"):
        MboxSource(tmp_path, "team")
