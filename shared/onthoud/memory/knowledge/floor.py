"""The noise floor: how alike a question about nothing looks to this index.

Embedding models score on scales of their own (plain E5 gives unrelated texts .75 to .85), so no fixed threshold tells
"relevant" from "nothing found". Small talk in several languages is asked of the index itself instead; a passage that
does not rise above what that reaches on the average is no answer. The floor is low on purpose: a passage that does not
help is set aside by the model, one that was withheld cannot be cited. `make bench-recall` says what it lets through.
"""

from __future__ import annotations

from statistics import fmean

from onthoud.ports.vectors import Mode, Query, Vectors

PROBES = (
    "What a beautiful sunset, I love this photo!",
    "Congratulations to both of you on the wedding!",
    "Who won the football match last night?",
    "Can you recommend a good recipe for lasagne?",
    "My flight to Lisbon was delayed by four hours.",
    "Wat een prachtige foto van de zonsondergang!",
    "Wie heeft gisteravond de verkiezingen gewonnen?",
    "Tillykke med fødselsdagen, hav en dejlig dag!",
    "Hvem vandt kampen i går aftes?",
    "Herzlichen Glückwunsch zur Geburt eures Sohnes!",
    "Wie lange muss man Kartoffeln kochen?",
    "这张照片太美了，恭喜你们！",
    "昨天晚上谁赢了比赛？",
)


def measure(vectors: Vectors, namespace: str) -> float | None:
    """Return the floor of an index, on the scale of its dense scores; None where it holds nothing."""
    lists = vectors.search(namespace, [Query(probe, Mode.DENSE, top_k=1) for probe in PROBES])
    best = [hits[0].score for hits in lists if hits]
    return fmean(best) if best else None
