"""A real cross-encoder in the ONNX format, a small one (`tests/data/cross_encoder/make.py`), and what checks sentences with it."""

import json
import shutil
import zlib
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from vademecum.answering.checker import Checker
from vademecum.answering.generation import write_stream
from vademecum.answering.prompt import Numbered
from vademecum.answering.reply import Claim
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderError
from vademecum.core.evidence import Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION
from vademecum.providers.onnx.cross_encoder import CrossEncoder
from vademecum.providers.onnx.wordpiece import VOCABULARY
from vademecum.providers.registry import open_model
from vademecum.testing.model import ScriptedModel, said, statement, written

MODEL = Path(__file__).parents[2] / "data/cross_encoder/model.onnx"
LABELS = {"0": "contradiction", "1": "entailment", "2": "neutral"}
TAR = "tar saves many files together into a single archive. The option -k does not replace files that exist."
PAIRS = [
    ("The lock is released when the file is closed.", "The lock is released."),
    ("The lock is released when the file is closed.", "Cats sleep all day long."),
    ("", "The lock is released."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The model with a tokenizer and names of its labels, as such models are distributed."""
    path = tmp_path_factory.mktemp("entailment")
    shutil.copy(MODEL, path / "model.onnx")
    pieces = {
        piece: at for at, piece in enumerate(zlib.decompress(VOCABULARY.read_bytes()).decode().splitlines())
    }
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", pieces["[CLS]"]), ("[SEP]", pieces["[SEP]"])],
    )
    tokenizer.save(str(path / "tokenizer.json"))
    (path / "config.json").write_text(json.dumps({"id2label": LABELS}))
    return path


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def test_probabilities_in_order(folder):
    model = CrossEncoder(folder)
    assert model.name == f"onnx:{folder}/model.onnx"
    found = model.probabilities(PAIRS)
    assert found[0] > 0.9
    assert found[1] < 0.1
    assert found[2] < 0.1
    assert model.probabilities(PAIRS * 9) == pytest.approx(found * 9)
    assert model.probabilities([]) == []
    assert CrossEncoder(folder / "model.onnx").probabilities(PAIRS) == pytest.approx(found)


def test_long_texts_are_cut_at_the_first_one(folder):
    first = "The lock is released. " + "word " * 5000
    assert CrossEncoder(folder).probabilities([(first, "The lock is released.")])[0] > 0.9
    assert 0 <= CrossEncoder(folder).probabilities([("word", "word " * 5000)])[0] <= 1


def test_the_label_is_found_by_its_name(copy):
    (copy / "config.json").write_text(json.dumps({"id2label": {"0": "ENTAILMENT", "1": "no", "2": "x"}}))
    assert CrossEncoder(copy).probabilities(PAIRS)[0] < 0.1


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ('{"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}', "LABEL_0, LABEL_1"),
        ('{"id2label": {"7": "entailment"}}', "shape"),
        ('{"id2label": 3}', "config"),
        ("[]", "config"),
        ("{", "config"),
        ("{}", "3 outputs"),
        (None, "3 outputs"),
    ],
)
def test_labels_that_do_not_say_what_is_entailment(copy, config, words):
    (copy / "config.json").unlink()
    if config is not None:
        (copy / "config.json").write_text(config)
    with pytest.raises(ProviderError, match=words) as caught:
        CrossEncoder(copy).probabilities(PAIRS)
    assert "entailment" in caught.value.hint


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_files_that_are_missing_or_damaged(copy, name):
    (copy / name).write_bytes(b"\x00nonsense")
    with pytest.raises(ProviderError):
        CrossEncoder(copy).probabilities(PAIRS)
    (copy / name).unlink()
    with pytest.raises(ProviderError, match=name.replace(".", r"\.")):
        CrossEncoder(copy)


# --- sentences that are checked with it -------------------------------------------------------------------------------


class Refusing:
    """An entailment model that is sure of nothing, and counts what it is asked."""

    name = "refusing"

    def __init__(self):
        self.pairs = []

    def probabilities(self, pairs):
        self.pairs += pairs
        return [0.0 for _ in pairs]


def checker(entailment):
    evidence = [Evidence("a", "0" * 64, "tar(1)", "tar(1)", "", TAR, ())]
    return Checker("How?", evidence, [Numbered(1, Span(0, 0, len(TAR), ""), "", ())], entailment=entailment)


def test_a_sentence_that_does_not_follow_is_quoted():
    text, refusing = "tar saves many files into one archive.", Refusing()
    assert not checker(None).check(Claim("summary", text, "", (1,), ())).quoted
    found = checker(refusing).check(Claim("summary", text, "", (1,), ()))
    assert found.quoted
    assert found.statement.text == "tar saves many files together into a single archive."
    assert refusing.pairs == [("tar saves many files together into a single archive.", text)]


def test_a_quotation_is_not_asked_about():
    refusing = Refusing()
    text = "tar saves many files together into a single archive."
    assert checker(refusing).check(Claim("summary", text, "", (1,), ())).verdict == "supported"
    assert not refusing.pairs


def answer_with(settings):
    passage = ScoredPassage(SECTION, 0, len(TAR), 0, "", "", 1.0, 1.0)
    evidence = [Evidence("a", "0" * 64, "tar(1)", "tar(1)", "", TAR, (passage,))]
    with write_stream("What does tar do?", evidence, open_model(settings), deadline=Deadline(20)) as stream:
        return stream.written


@pytest.mark.parametrize("by", ["settings", "variable"])
def test_through_the_settings_of_a_model(folder, monkeypatch, by):
    reply = written(
        statement("tar saves many files into one archive.", 1), statement("tar saves many files.", 1)
    )
    with ScriptedModel(said(reply)) as model:
        if by == "variable":
            monkeypatch.setenv("VADEMECUM_ENTAILMENT", str(folder))
        settings = model.settings._replace(entailment=str(folder) if by == "settings" else "")
        found = answer_with(settings)
    assert [judged.verdict for judged in found.judged] == ["quoted", "supported"]
    assert not found.warnings


def test_a_model_that_fails_lets_nothing_pass(copy):
    (copy / "config.json").write_text("{")
    with ScriptedModel(said(written(statement("tar saves many files into one archive.", 1)))) as model:
        found = answer_with(model.settings._replace(entailment=str(copy)))
    assert [judged.verdict for judged in found.judged] == ["quoted"]
    assert "config.json" in found.warnings[0]
    with pytest.raises(ProviderError, match="nowhere"):
        open_model(model.settings._replace(entailment="/nowhere"))
