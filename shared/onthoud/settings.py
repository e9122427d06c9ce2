"""The settings: one model, read once from the environment that the template fills."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Literal, Self, cast, get_args
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from onthoud.errors import PermanentError
from onthoud.scope import Space

PREFIX = "ONTHOUD_"
LEDGER_DAYS = 45
"""The ledger of events outlives the longest queue and dead-letter retention (14 + 14 days) with room for a person."""
QUARANTINE_DAYS = 14

Mode = Literal["off", "shadow", "draft", "auto"]


class Settings(BaseModel):
    """What the operator sets. Field `window_turns` is the environment variable `ONTHOUD_WINDOW_TURNS`, and so on.

    Units are in the names; the template documents each parameter.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    table: str = Field(min_length=3)
    tenant: str = Field(default="main", min_length=1, max_length=64)
    context: str = Field(default="default", min_length=1, max_length=64)

    window_turns: int = Field(default=10, ge=1, le=100)
    history_days: int = Field(default=30, ge=1, le=365)
    memory_tokens: int = Field(default=1500, ge=100, le=100_000)
    turn_bytes: int = Field(default=8192, ge=256, le=65_536)

    operator_time_zone: str = "UTC"
    venue_time_zone: str = "UTC"
    default_language: str = Field(default="en", pattern=r"^[a-z]{2}$")

    mode: Mode = "auto"
    modes: str = ""
    own_ids: tuple[str, ...] = ()
    max_event_age_hours: float = Field(default=72, gt=0)
    replies_per_thread_and_hour: int = Field(default=6, ge=1)
    daily_budget_usd: Decimal = Field(default=Decimal(0), ge=0)
    max_attempts: int = Field(default=5, ge=1, le=15)
    redaction: str = "email=redact,phone=redact,card=redact,iban=redact,national_id=keep"
    spam: Literal["model", "links"] = "model"

    reply_model: str = "claude-opus-5-5"
    reply_max_tokens: int = Field(default=512, ge=1, le=8192)
    confirm_model: str = "claude-haiku-5-5"
    confirm_max_tokens: int = Field(default=256, ge=1, le=8192)
    brief_model: str = "claude-haiku-5-5"
    brief_max_tokens: int = Field(default=2048, ge=1, le=8192)
    model_prices: str = "opus=4/20,sonnet=2/10,haiku=1/5"
    model_key_parameter: str = "/onthoud/anthropic-api-key"
    model_timeout_s: float = Field(default=45, gt=0)

    channel_kind: Literal["webhook", "eventbridge"] = "webhook"
    channel_url: str = ""
    channel_secret_parameter: str = "/onthoud/channel-secret"  # noqa: S105 - the parameter's name, not the secret
    channel_read_back: bool = True
    channel_idempotent: bool = True
    event_bus: str = ""

    knowledge: Literal["on", "off"] = "off"
    knowledge_bucket: str = ""
    knowledge_queue_url: str = ""
    upstash_url: str = ""
    upstash_token_parameter: str = "/onthoud/upstash-token"  # noqa: S105 - the parameter's name, not the secret

    events_queue_url: str = ""
    move_wait_s: int = Field(default=60, ge=0, le=900)
    comments_queue_url: str = ""
    comments_dead_letters_url: str = ""
    bookings_queue_url: str = ""
    bookings_dead_letters_url: str = ""

    @field_validator("own_ids", mode="before")
    @classmethod
    def _split_ids(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("operator_time_zone", "venue_time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError("is no IANA time zone, such as Europe/Amsterdam")
        return value

    @field_validator("modes")
    @classmethod
    def _known_modes(cls, value: str) -> str:
        for name, mode in _pairs(value):
            if not name or mode not in get_args(Mode):
                raise ValueError("must look like booking=draft,social_reply/club=shadow")
        return value

    def mode_of(self, bot: str, account: str) -> Mode:
        """Return the mode of a bot on an account: the nearest of `bot/account`, `bot`, and the mode of all."""
        chosen = dict(_pairs(self.modes))
        return cast(Mode, chosen.get(f"{bot}/{account}") or chosen.get(bot) or self.mode)

    @property
    def space(self) -> Space:
        """The tenant and context that this stack works in."""
        return Space(self.tenant, self.context)

    @property
    def history(self) -> timedelta:
        """How long a customer may be silent before the bot starts afresh."""
        return timedelta(days=self.history_days)

    @property
    def operator_zone(self) -> ZoneInfo:
        """The operator's time zone."""
        return ZoneInfo(self.operator_time_zone)

    @property
    def venue_zone(self) -> ZoneInfo:
        """The venue's time zone."""
        return ZoneInfo(self.venue_time_zone)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings; an empty variable counts as not set.

        Raises:
            PermanentError: a variable is missing or wrong; the message names it and says why.
        """
        values = {
            name.removeprefix(PREFIX).lower(): value
            for name, value in environment.items()
            if name.startswith(PREFIX) and value != ""
        }
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            faults = "; ".join(
                f"{PREFIX}{'_'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False, include_context=False)
            )
            raise PermanentError(f"settings are not usable: {faults}") from None


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = [part.strip().rpartition("=") for part in text.split(",") if part.strip()]
    return [(name, value) for name, _, value in parts]
