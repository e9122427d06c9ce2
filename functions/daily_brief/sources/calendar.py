"""Calendar feeds: what is on today, and what was put in, moved or taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from daily_brief.sources.ics import Broken, Event, Moment, Series, instant, read_feed
from daily_brief.sources.recurrence import Occurrence, RuleError, day_bounds, occurrences
from onthoud.errors import OnthoudError
from onthoud.memory.alerts.fingerprint import Scalar, subject_of
from onthoud.memory.alerts.model import Observation, Reading
from onthoud.ports.source import Appointment, Harvest
from onthoud.ports.web import Web

AHEAD = timedelta(days=366)
"""How far ahead the next occurrence of a series is looked for."""
DROPPED_AHEAD = timedelta(days=14)
"""How far ahead a single occurrence taken out of its series is news."""
UNTITLED = "(no title)"


@dataclass(frozen=True, slots=True)
class CalendarFeed:
    """One ICS feed."""

    web: Web
    url: str
    zone: ZoneInfo
    name: str = "calendar"

    def read(self, now: datetime) -> Harvest:
        """Read the feed; see the port. Anything but a whole calendar is a failure, never an empty day."""
        try:
            feed = read_feed(self.web.get(self.url, headers={"Accept": "text/calendar"}).body, self.zone)
        except OnthoudError as error:
            return Harvest(Reading(self.name, now, False, (), str(error)))
        observations: list[Observation] = []
        today: list[Appointment] = []
        broken = list(feed.broken)
        since, until = day_bounds(now.astimezone(self.zone).date(), self.zone)
        for series in feed.series:
            try:
                seen = list(self._observed(series, now))
                on = [self._appointment(one) for one in occurrences(series, since, until, self.zone)]
            except (RuleError, OverflowError, ValueError) as error:
                event = series.master or series.changed[0]
                broken.append(Broken(series.uid, event.title, str(error)))
                continue
            observations += seen
            today += on
        observations += [self._broken(one) for one in broken]
        today.sort(key=lambda one: (not one.all_day, instant(one.start, self.zone), one.title))
        return Harvest(Reading(self.name, now, True, tuple(observations)), tuple(today))

    def _appointment(self, one: Occurrence) -> Appointment:
        return Appointment(one.event.title or UNTITLED, self._here(one.start), self._here(one.end), one.event.place)

    def _here(self, moment: Moment) -> Moment:
        return moment.astimezone(self.zone) if isinstance(moment, datetime) else moment

    # -- the alert log's side: a series is one thing, a single appointment or a moved occurrence another --------------

    def _observed(self, series: Series, now: datetime) -> Iterator[Observation]:
        master = series.master
        if master is not None and not master.cancelled:
            if master.rule or master.extra:
                yield from self._series(series, master, now)
            elif instant(master.end, self.zone) > now:
                yield self._single(series.uid, master)
        for event in series.changed:
            if event.replaces is None or instant(event.end, self.zone) <= now:
                continue
            slot = instant(event.replaces, self.zone)
            if event.cancelled:
                yield from self._taken_out(series.uid, event.title, event.replaces, slot, now)
            else:
                yield self._single(f"{series.uid}:{slot.isoformat()}", event, moved_from=event.replaces)

    def _series(self, series: Series, master: Event, now: datetime) -> Iterator[Observation]:
        if next(occurrences(series, now, now + AHEAD, self.zone), None) is None:
            return
        at = master.start
        yield Observation(
            source=self.name,
            kind="series",
            subject=subject_of(series.uid),
            title=master.title or UNTITLED,
            material={
                "rule": master.rule,
                "clock": at.strftime("%H:%M") if isinstance(at, datetime) else None,
                "minutes": int(master.length.total_seconds() // 60),
                "place": master.place or None,
            },
            data={"start": self._plain(at)},
            # A series that a rule ends is over by itself; one that is taken out before is news.
            ends_at=self._last_end(series, now),
        )
        for dropped in master.dropped:
            yield from self._taken_out(series.uid, master.title, dropped, instant(dropped, self.zone), now)

    def _last_end(self, series: Series, now: datetime) -> datetime | None:
        rule = series.master.rule.upper() if series.master else ""
        if rule and "UNTIL=" not in rule and "COUNT=" not in rule:
            return None
        ends = [instant(one.end, self.zone) for one in occurrences(series, now, now + AHEAD, self.zone)]
        return max(ends, default=None)

    def _single(self, uid: str, event: Event, *, moved_from: Moment | None = None) -> Observation:
        return Observation(
            source=self.name,
            kind="event",
            subject=subject_of(uid),
            title=event.title or UNTITLED,
            material={
                "start": self._plain(event.start),
                "end": self._plain(event.end),
                "place": event.place or None,
            },
            data={"moved_from": self._plain(moved_from) if moved_from is not None else None},
            ends_at=instant(event.end, self.zone),
        )

    def _taken_out(self, uid: str, title: str, slot: Moment, at: datetime, now: datetime) -> Iterator[Observation]:
        if now < at <= now + DROPPED_AHEAD:
            data: dict[str, Scalar] = {"start": self._plain(slot)}
            yield Observation(
                source=self.name,
                kind="taken-out",
                subject=subject_of(f"{uid}:{at.date().isoformat()}"),
                title=title or UNTITLED,
                material={"taken_out": True},
                data=data,
                ends_at=at,
            )

    def _plain(self, moment: Moment) -> str:
        """An instant in UTC or a date, so that the same time written in another zone is no change."""
        return instant(moment, self.zone).astimezone(_UTC).isoformat() if isinstance(moment, datetime) else str(moment)

    def _broken(self, one: Broken) -> Observation:
        return Observation(
            source=self.name,
            kind="unreadable",
            subject=subject_of(one.uid or one.title or "unnamed"),
            title=one.title or "an appointment",
            material={"state": "unreadable"},
            data={"why": one.why},
        )


_UTC = ZoneInfo("UTC")
