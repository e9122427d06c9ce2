"""The brief's own settings, beside those that all functions share."""

from __future__ import annotations

from pydantic import Field, field_validator

from onthoud.settings import Settings


class BriefSettings(Settings):
    """What the operator sets for the brief; the template documents each parameter."""

    brief_bucket: str = ""
    brief_max_late_hours: float = Field(default=6, gt=0, lt=24)
    brief_to_channel: bool = True
    brief_email_from: str = ""
    brief_email_to: tuple[str, ...] = ()
    slack_webhook_parameter: str = ""
    brief_remind_days: tuple[int, ...] = ()
    brief_resolve_after: int = Field(default=1, ge=1, le=10)

    mail_bucket: str = ""
    imap_host: str = ""
    imap_port: int = Field(default=993, ge=1, le=65_535)
    imap_user: str = ""
    imap_folder: str = "INBOX"
    imap_password_parameter: str = ""
    calendar_urls: tuple[str, ...] = ()
    tasks_url: str = ""
    todoist_token_parameter: str = ""

    events_dead_letters_url: str = ""
    schedule_dead_letters_url: str = ""
    run_dead_letters_url: str = ""

    @field_validator("brief_email_to", "calendar_urls", "brief_remind_days", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @property
    def dead_letters(self) -> dict[str, str]:
        """The dead-letter queues that the brief looks at, by short name."""
        found = {
            "events": self.events_dead_letters_url,
            "comments": self.comments_dead_letters_url,
            "bookings": self.bookings_dead_letters_url,
            "schedules": self.schedule_dead_letters_url,
            "runs": self.run_dead_letters_url,
        }
        return {name: url for name, url in found.items() if url}
