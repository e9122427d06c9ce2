"""`make bench-recall`: how much of what matters is found, beside plain methods and two peers.

It needs a file in LOCOMO's form (`LOCOMO=path`), which is not part of this project. Nothing is fitted on its questions:
the lists count the same, and the three boosts of `onthoud.memory.recall.ranking` were set by hand.
"""
