"""What a model call costs: the operator's price list, by tier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from onthoud.errors import PermanentError
from onthoud.ports.model import Usage

MILLION = Decimal(1_000_000)
CACHE_READ = Decimal("0.1")
"""A cached input token's share of the input price (Anthropic's documentation of prompt caching)."""
CACHE_WRITE = Decimal("1.25")
"""A token written to the five-minute cache, likewise."""


@dataclass(frozen=True, slots=True)
class Prices:
    """USD per million tokens, input and output, by the tier that a model's name contains (`opus`, `haiku`)."""

    tiers: Mapping[str, tuple[Decimal, Decimal]]

    @classmethod
    def parse(cls, text: str) -> Prices:
        """Read `opus=5/25,haiku=1/5`.

        Raises:
            PermanentError: the text is not of that form.
        """
        tiers: dict[str, tuple[Decimal, Decimal]] = {}
        try:
            for part in filter(None, (piece.strip() for piece in text.split(","))):
                tier, both = part.split("=")
                into, out = both.split("/")
                tiers[tier.strip().lower()] = (Decimal(into), Decimal(out))
        except (ValueError, InvalidOperation):
            raise PermanentError("model prices must look like opus=5/25,haiku=1/5 (USD per million tokens)") from None
        return cls(tiers)

    def cost(self, model: str, usage: Usage) -> Decimal:
        """Return the cost in USD; a model of no known tier counts as the dearest, so that a budget never fails open."""
        known = [price for tier, price in self.tiers.items() if tier in model.lower()]
        into, out = known[0] if known else max(self.tiers.values(), default=(Decimal(0), Decimal(0)))
        tokens = usage.input + usage.cache_read * CACHE_READ + usage.cache_write * CACHE_WRITE
        return (tokens * into + usage.output * out) / MILLION
