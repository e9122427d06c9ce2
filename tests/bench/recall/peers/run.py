"""Ranks the same turns for the same questions with mem0 and with LangGraph's store; prints JSON for the benchmark.

Both get the embedder of the benchmark, the words as they were said with the speaker's name before them, and the
question as it was asked. mem0 stores without a language model (infer=False).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", tempfile.mkdtemp(prefix="mem0-"))

from infra.local.vector_server.embedder import DIMENSION, CachedEmbedder, Embedder, best_embedder
from tests.bench.recall.locomo import Asked, Conversation, load

ALL = 2000


class Mem0Embedder:
    """The benchmark's embedder in mem0's shape."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str = "add") -> list[float]:
        if memory_action == "search":
            return self._embedder.query(text).tolist()
        return self._embedder.passages([text])[0].tolist()

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


def mem0(conversation: Conversation, embedder: Embedder) -> Callable[[Asked], list[str]]:
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig

    folder = tempfile.mkdtemp(prefix="mem0-")
    config = MemoryConfig(
        vector_store={
            "provider": "qdrant",
            "config": {"collection_name": "bench", "path": folder, "embedding_model_dims": DIMENSION},
        },
        llm={"provider": "openai", "config": {"api_key": "unused"}},
        embedder={"provider": "openai", "config": {"api_key": "unused", "embedding_dims": DIMENSION}},
        history_db_path=f"{folder}/history.db",
    )
    memory = Memory(config)
    memory.embedding_model = Mem0Embedder(embedder)
    for turn in conversation.turns:
        memory.add(f"{turn.said_by}: {turn.text}", user_id=conversation.name, metadata={"turn": turn.id}, infer=False)

    def rank(asked: Asked) -> list[str]:
        found = memory.search(
            asked.text, filters={"user_id": conversation.name}, top_k=len(conversation.turns), threshold=0.0
        )
        return [one["metadata"]["turn"] for one in found["results"]]

    return rank


def langgraph(conversation: Conversation, embedder: Embedder) -> Callable[[Asked], list[str]]:
    from langchain_core.embeddings import Embeddings
    from langgraph.store.memory import InMemoryStore

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embedder.passages(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return embedder.query(text).tolist()

    store = InMemoryStore(index={"embed": Ours(), "dims": DIMENSION, "fields": ["text"]})
    for turn in conversation.turns:
        store.put((conversation.name,), turn.id, {"text": f"{turn.said_by}: {turn.text}"})

    def rank(asked: Asked) -> list[str]:
        return [one.key for one in store.search((conversation.name,), query=asked.text, limit=ALL)]

    return rank


def main() -> None:
    """Rank everything with everybody."""
    path, cache = Path(sys.argv[1]), Path(sys.argv[2])
    embedder = CachedEmbedder(best_embedder(), cache)
    found: dict[str, Any] = {}
    for name, system in (("mem0ai (infer=False)", mem0), ("LangGraph InMemoryStore", langgraph)):
        rankings, seconds = {}, []
        for conversation in load(path):
            rank = system(conversation, embedder)
            rankings[conversation.name] = []
            for asked in conversation.questions:
                embedder.query(asked.text)
                begun = time.perf_counter()
                rankings[conversation.name].append(rank(asked))
                seconds.append(time.perf_counter() - begun)
        found[name] = {"rankings": rankings, "seconds": seconds}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
