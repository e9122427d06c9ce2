"""Secrets in memory, which change when a test says so."""

from __future__ import annotations

from onthoud.errors import NotFound


class FakeSecrets:
    """Gives out a kept value until a fresh one is asked for, as the parameter store's cache does."""

    def __init__(self, **values: str) -> None:
        self.values = values
        self.asked: list[tuple[str, bool]] = []
        self._kept: dict[str, str] = {}

    def get(self, name: str, *, fresh: bool = False) -> str:
        self.asked.append((name, fresh))
        if fresh or name not in self._kept:
            if name not in self.values:
                raise NotFound(f"there is no parameter {name}")
            self._kept[name] = self.values[name]
        return self._kept[name]
