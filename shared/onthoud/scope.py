"""Whose memory it is. Every read and write of customer memory takes a `Scope`, fixed by code, never by the model."""

from __future__ import annotations

from dataclasses import dataclass

from onthoud import keys, naming
from onthoud.errors import PermanentError

FORM = "CHANNEL/ACCOUNT/ID"
"""How a customer's name looks."""


@dataclass(frozen=True, slots=True)
class Space:
    """A tenant and one of its contexts (work and personal, say), which share nothing. Comes from settings only."""

    tenant: str
    context: str


@dataclass(frozen=True, slots=True)
class Scope:
    """One customer: `(channel, account, the platform's scoped user id)` within a space. Names are attributes."""

    space: Space
    channel: str
    account: str
    customer: str

    @property
    def partition(self) -> str:
        """The partition key under which all that is remembered of this customer lies."""
        return keys.join("customer", self.space.tenant, self.space.context, self.channel, self.account, self.customer)

    @property
    def name(self) -> str:
        """How a person names the customer: `CHANNEL/ACCOUNT/ID`; see `naming`."""
        return naming.join((self.channel, self.account, self.customer))

    @classmethod
    def named(cls, space: Space, name: str) -> Scope:
        """Return the customer whom a person has named; the inverse of `name`.

        Raises:
            PermanentError: the name is not of the form `CHANNEL/ACCOUNT/ID`.
        """
        try:
            channel, account, customer = naming.split(name, form=FORM)
        except PermanentError as error:
            raise PermanentError(f"a customer's name is {error}") from None
        return cls(space, channel, account, customer)

    @classmethod
    def of_partition(cls, partition: str) -> Scope:
        """Read a scope back from its partition key.

        Raises:
            PermanentError: the key is not a customer's.
        """
        kind, *segments = keys.split(partition)
        if kind != "customer" or len(segments) != 5:
            raise PermanentError("not the partition of a customer")
        tenant, context, channel, account, customer = segments
        return cls(Space(tenant, context), channel, account, customer)
