"""An entailment model: a cross-encoder in the ONNX format that reads two texts together, such as DeBERTa fine-tuned on MNLI."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from math import exp
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from vademecum.core.errors import ProviderError
from vademecum.text.printable import printable

_INSTALL = "Install them with: pip install 'vademecum[onnx]'; or remove entailment from the model's settings."
_CHECK = "Correct entailment in the model's settings, or remove it."
_LONGEST = 512
"""The maximum number of tokens of both texts, unless the model has a fixed length."""

_BATCH = 8
_THREADS = 1
_MODEL, _TOKENIZER, _CONFIG = "model.onnx", "tokenizer.json", "config.json"


class _Loaded(NamedTuple):
    """What runs the model.

    Attributes:
        label: The index of the label of entailment; -1 if the model has one output, the probability's logit.
    """

    session: Any
    tokenizer: Any
    label: int


class CrossEncoder:
    """A cross-encoder in this process; see `Entailment`. It is thread-safe, and loaded by the first call.

    The folder holds `model.onnx`, `tokenizer.json`, and `config.json`, whose `id2label` names the label that begins with `entail`. A model
    with a single output needs no `config.json`: its output is the logit of the probability.

    Args:
        path: The folder, or its `.onnx` file.

    Raises:
        ProviderError: A file or a required package is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path if path.suffix == ".onnx" else path / _MODEL
        self.name = f"onnx:{self.path}"
        folder = self.path.parent
        missing = [name for name in ("numpy", "onnxruntime", "tokenizers") if find_spec(name) is None]
        if missing:
            message = f"The packages of the entailment model are not installed: {', '.join(missing)}."
            raise ProviderError(message, hint=_INSTALL)
        for file in (self.path, folder / _TOKENIZER):
            if not file.is_file():
                raise ProviderError(
                    f"The entailment model has no file {printable(str(file), 200)}.", hint=_CHECK
                )
        self._lock = Lock()
        self._loaded: _Loaded | None = None

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability (0-1), for each pair, that the first text entails the second.

        Texts that are too long are truncated, the longer one first.

        Raises:
            ProviderError: The model cannot be loaded or run.
        """
        loaded = self._model()
        found: list[float] = []
        for start in range(0, len(pairs), _BATCH):
            found += self._run(loaded, list(pairs[start : start + _BATCH]))
        return found

    def _run(self, loaded: _Loaded, pairs: list[tuple[str, str]]) -> list[float]:
        import numpy as np  # noqa: PLC0415 - only with an entailment model

        try:
            encoded = loaded.tokenizer.encode_batch(pairs)
            columns = {
                "input_ids": [text.ids for text in encoded],
                "attention_mask": [text.attention_mask for text in encoded],
                "token_type_ids": [text.type_ids for text in encoded],
            }
            feed = {
                wanted.name: np.array(columns[wanted.name], np.int64)
                for wanted in loaded.session.get_inputs()
            }
            logits = np.asarray(loaded.session.run(None, feed)[0], np.float64).reshape(len(pairs), -1)
        except Exception as error:  # the classes of two libraries, of which there are many
            raise self._unusable(error) from error
        if not np.isfinite(logits).all() or loaded.label >= logits.shape[1]:
            raise self._unusable(f"its output has the shape {logits.shape}, or is not finite")
        if loaded.label < 0:
            if logits.shape[1] != 1:
                raise self._unusable(
                    f"it has {logits.shape[1]} outputs, and {_CONFIG} does not say which is entailment"
                )
            return [1.0 / (1.0 + exp(-max(-60.0, min(60.0, value)))) for value in logits[:, 0].tolist()]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        share: list[float] = (shares[:, loaded.label] / shares.sum(axis=1)).tolist()
        return share

    def _model(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Loaded:
        import onnxruntime  # noqa: PLC0415 - only with an entailment model
        from tokenizers import Tokenizer  # noqa: PLC0415 - likewise

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = _THREADS
        options.log_severity_level = 4  # faults are raised
        try:
            session = onnxruntime.InferenceSession(
                str(self.path), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = Tokenizer.from_file(str(self.path.parent / _TOKENIZER))
            lengths = [size for wanted in session.get_inputs() for size in wanted.shape[1:2]]
            fixed = next((size for size in lengths if isinstance(size, int)), None)
            tokenizer.enable_truncation(fixed or _LONGEST, strategy="longest_first")
            tokenizer.enable_padding(length=fixed)
            return _Loaded(session, tokenizer, self._label())
        except ProviderError:
            raise
        except Exception as error:  # as above
            raise self._unusable(error) from error

    def _label(self) -> int:
        """Return the index of the label of entailment; -1 without a configuration."""
        file = self.path.parent / _CONFIG
        if not file.exists():
            return -1
        try:
            labels = dict(json.loads(file.read_text(encoding="utf-8")).get("id2label") or {})
            found = [int(index) for index, label in labels.items() if str(label).lower().startswith("entail")]
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise self._unusable(f"{_CONFIG} cannot be read: {error}") from error
        if labels and (len(found) != 1 or found[0] < 0):
            names = ", ".join(map(str, labels.values()))
            raise self._unusable(f"{_CONFIG} has the labels {names}, and none that begins with entail")
        return found[0] if found else -1

    def _unusable(self, why: object) -> ProviderError:
        said = " ".join(str(why).split())[:300]
        return ProviderError(f"The entailment model {self.path} cannot be used: {said}.", hint=_CHECK)


@cache
def cross_encoder(path: str) -> CrossEncoder:
    """Return the entailment model of a path. It is shared by the whole process.

    Raises:
        ProviderError: A file or a required package is missing.
    """
    return CrossEncoder(Path(path).expanduser())
