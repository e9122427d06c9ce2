"""Whole mornings: what is told, what is not, and once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from daily_brief.app import scheduled_at
from daily_brief.sources.tasks import TaskList
from onthoud.delivery import decisions
from onthoud.delivery.switches import SwitchBoard, Switches
from onthoud.errors import RetryableError
from onthoud.ports.channel import FailureClass, SendError
from onthoud.ports.source import Appointment, Chore, Harvest
from onthoud.privacy.erasure import erase
from onthoud.privacy.registry import Estate
from onthoud.scope import Scope
from onthoud.stores import REGISTRY
from tests.fakes.world import lost, transient
from tests.unit.brief.feeds import FixedWeb
from tests.unit.brief.morning import FIRST, ZONE, Mornings, changes, mail, task, trust


def test_four_mornings_new_silence_update_resolved() -> None:
    stack = Mornings()
    roof = stack.sources["tasks"]
    roof.shown = [task("1", "Repair the roof", due="2026-12-20", due_phase="later")]
    texts = [stack.brief()]
    stack.next_morning()
    texts.append(stack.brief())
    stack.next_morning()
    roof.shown = [task("1", "Repair the roof", status="blocked", due="2026-12-20", due_phase="later")]
    texts.append(stack.brief())
    stack.next_morning()
    roof.shown = []
    texts.append(stack.brief())
    assert [changes(text) for text in texts] == [
        ["- **NEW** task: Repair the roof (status: open; due: Sunday 20 December, in more than a week)"],
        [],
        ["- **UPDATE** task: Repair the roof (status: open → blocked)"],
        ["- **RESOLVED** task: Repair the roof"],
    ]
    assert texts[1] == (
        "Daily brief, Tuesday 1 December 2026: nothing new. 1 open: 0 told today, 1 unchanged, 0 snoozed; tasks 06:30"
    )
    assert len(stack.model.requests) == 3  # none where there is nothing to say


def test_the_schedule_fired_twice_reads_nothing_asks_nothing_and_sends_nothing() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.run()
    assert stack.run() == {"channel": "decided before"}
    assert (len(stack.channels["channel"].accepted), len(stack.model.requests)) == (1, 1)
    assert stack.sources["tasks"].read_times == 1


def test_the_schedule_fired_twice_at_once_delivers_once() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    raced = []

    def meddle(target: str, phase: str) -> None:
        if target == "model" and phase == "before" and not raced:
            raced.append(True)
            assert stack.run() == {"channel": "SENT"}

    stack.hooked(meddle)
    assert stack.run() == {"channel": "decided before"}
    assert len(stack.channels["channel"].accepted) == 1
    stack.hooked(lambda target, phase: None)
    stack.next_morning()
    assert changes(stack.brief()) == []


def test_the_audit_copy_is_what_was_sent() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    text = stack.brief()
    assert stack.archive.texts == {"daily-brief/2026-11-30.md": text}


def test_a_message_carries_the_briefs_name_and_local_date() -> None:
    stack = Mornings()
    stack.run()
    [sent] = stack.channels["channel"].accepted
    assert (sent.kind, sent.in_reply_to) == ("brief", "daily-brief/2026-11-30")


def test_more_than_six_hours_late_is_refused_recorded_and_costs_nothing() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.world.clock.advance(hours=6, minutes=1)
    assert stack.run(FIRST) == {"channel": "too_late"}
    assert stack.run(FIRST) == {"channel": "decided before"}
    assert (stack.channels["channel"].accepted, stack.model.requests) == ([], [])
    stack.next_morning()
    assert len(changes(stack.brief())) == 1


def test_just_in_time_is_sent() -> None:
    stack = Mornings()
    stack.world.clock.advance(hours=5, minutes=59)
    assert stack.run(FIRST) == {"channel": "SENT"}


def test_the_occurrences_own_time_decides_the_date_however_late_it_runs() -> None:
    now = datetime(2026, 12, 1, 3, 0, tzinfo=UTC)
    assert scheduled_at({"scheduled_at": "2026-11-30T05:30:00Z"}, now) == datetime(2026, 11, 30, 5, 30, tzinfo=UTC)
    for event in ({}, {"scheduled_at": "<aws.scheduler.scheduled-time>"}, {"scheduled_at": "2026-11-30"}):
        assert scheduled_at(event, now) == now


def test_a_failing_source_is_said_in_today_told_once_and_stands_in_the_trust_line() -> None:
    stack = Mornings("mail", "tasks")
    stack.sources["tasks"].shown = [task("1")]
    stack.brief()
    stack.next_morning()
    stack.sources["tasks"].error = "500"
    first = stack.brief()
    assert "- tasks could not be read: what is on there is not known." in first
    assert changes(first) == ["- **NEW** tasks could not be read"]
    assert trust(first).endswith("; mail 06:30, tasks FAILED (last read Monday 30 November 06:30)")
    stack.next_morning()
    assert changes(stack.brief()) == []
    stack.next_morning()
    stack.sources["tasks"].error = ""
    assert changes(stack.brief()) == ["- **RESOLVED** tasks could not be read"]


def test_the_today_part_is_always_printed_with_times_written_by_code() -> None:
    stack = Mornings("calendar", "tasks")
    day = date(2026, 11, 30)

    def at(hour: int, minute: int = 0) -> datetime:
        return datetime(2026, 11, 30, hour, minute, tzinfo=ZONE)

    stack.sources["calendar"].harvest = lambda reading: Harvest(
        reading,
        appointments=(
            Appointment("Fair", day, day + timedelta(days=1)),
            Appointment("Team", at(9), at(10), "Room 2"),
            Appointment("Dentist", at(9, 30), at(10, 30)),
            Appointment("Night shift", at(23), at(23) + timedelta(hours=8)),
            Appointment("Deadline", at(17), at(17)),
        ),
    )
    stack.sources["tasks"].harvest = lambda reading: Harvest(
        reading, chores=(Chore("Pay", day - timedelta(days=3), "blocked"), Chore("Call", day, "open"))
    )
    text = stack.brief()
    assert text.split("\n\n")[1].split("\n") == [
        "## Today",
        "- All day: Fair",
        "- 09:00–10:00 Team, Room 2 (overlaps Dentist)",
        "- 09:30–10:30 Dentist (overlaps Team)",
        "- 17:00 Deadline",
        "- 23:00 – Tuesday 1 December 07:00 Night shift",
        "- Overdue since Friday 27 November: Pay (blocked)",
        "- Due today: Call",
    ]
    assert "Nothing new." in text
    assert stack.model.requests == []


@pytest.mark.parametrize(
    ("language", "label"), [("en", "NEW"), ("nl", "NIEUW"), ("de", "NEU"), ("da", "NY"), ("zh", "新"), ("xx", "NEW")]
)
def test_the_brief_speaks_the_operators_language(language: str, label: str) -> None:
    stack = Mornings("tasks", "mail", "calendar", default_language=language)
    stack.sources["tasks"].shown = [task("1", due="2026-12-01", due_phase="tomorrow", priority="high")]
    stack.sources["calendar"].error = "500"
    text = stack.brief()
    assert f"**{label}**" in text
    assert "{" not in text


def test_slack_and_mail_have_memories_of_their_own_and_share_one_model_call() -> None:
    stack = Mornings(outlets=("channel", "slack", "email"))
    stack.sources["tasks"].shown = [task("1")]
    assert stack.run() == {"channel": "SENT", "slack": "SENT", "email": "SENT"}
    assert len(stack.model.requests) == 1
    texts = {name: channel.accepted[0].text for name, channel in stack.channels.items()}
    assert len(set(texts.values())) == 1


def test_an_unknown_outcome_on_slack_is_not_repeated_by_itself_and_the_next_brief_says_possibly_seen() -> None:
    stack = Mornings(outlets=("channel", "slack"))
    slack = stack.channels["slack"]
    stack.sources["tasks"].shown = [task("1", "Roof")]
    slack.faults = [lost()]
    assert stack.run() == {"channel": "SENT", "slack": "UNKNOWN"}
    assert stack.run() == {"channel": "decided before", "slack": "decided before"}
    assert len(slack.accepted) == 1
    stack.next_morning()
    stack.run()
    assert changes(stack.channels["channel"].accepted[1].text) == []
    [line] = changes(slack.accepted[1].text)
    assert line.startswith("- **NEW** task: Roof")
    assert "possibly seen already" in line
    assert set(stack.archive.texts) == {
        "daily-brief/2026-11-30.md",
        "daily-brief/2026-12-01.md",
        "daily-brief/2026-12-01.slack.md",
    }
    stack.next_morning()
    stack.run()
    assert changes(slack.accepted[2].text) == []


def test_a_channel_that_refuses_for_now_is_tried_again_by_the_same_run_and_delivers_once() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.channels["channel"].faults = [transient()]
    with pytest.raises(RetryableError):
        stack.run()
    stack.world.clock.advance(minutes=1)
    stack.run()
    assert len(stack.channels["channel"].accepted) == 1
    stack.next_morning()
    assert changes(stack.brief()) == []


def test_one_way_out_that_fails_does_not_keep_the_others_from_being_told() -> None:
    stack = Mornings(outlets=("slack", "channel"))
    stack.sources["tasks"].shown = [task("1")]
    stack.channels["slack"].faults = [transient()]
    with pytest.raises(RetryableError):
        stack.run()
    assert len(stack.channels["channel"].accepted) == 1


def test_what_was_refused_for_good_is_told_the_next_morning() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.channels["channel"].faults = [("before", SendError(FailureClass.POLICY, "403"))]
    assert stack.run() == {"channel": "FAILED"}
    stack.next_morning()
    assert len(changes(stack.brief())) == 1


def test_a_brief_that_could_not_be_sent_all_day_is_not_sent_the_next_day_but_told_anew() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.channels["channel"].faults = [transient()]
    with pytest.raises(RetryableError):
        stack.run()
    stack.next_morning()
    text = stack.brief()
    assert [one.in_reply_to for one in stack.channels["channel"].accepted] == ["daily-brief/2026-12-01"]
    assert len(changes(text)) == 1


def test_a_kill_switch_holds_the_brief_and_its_news_stay_due() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    board = SwitchBoard(stack.world.table, stack.settings.space)
    board.all(on=False, now=stack.now)
    assert stack.run() == {"channel": "switch_all"}
    assert stack.channels["channel"].accepted == []
    assert "daily-brief/2026-11-30.md" in stack.archive.texts
    board.all(on=True, now=stack.now)
    stack.next_morning()
    assert len(changes(stack.brief())) == 1


def test_shadow_writes_the_copy_and_sends_nothing_and_off_does_nothing() -> None:
    shadow = Mornings(mode="shadow")
    shadow.sources["tasks"].shown = [task("1")]
    assert shadow.run() == {"channel": "mode_shadow"}
    assert (len(shadow.archive.texts), shadow.channels["channel"].accepted) == (1, [])
    off = Mornings(mode="off")
    assert off.run() == {"channel": "mode_off"}
    assert (off.archive.texts, off.sources["tasks"].read_times) == ({}, 0)


def test_a_spent_budget_costs_the_phrasing_and_not_the_brief() -> None:
    stack = Mornings(daily_budget_usd="1")
    stack.sources["tasks"].shown = [task("1")]
    switches = Switches.read(stack.settings.space, None)
    stack.world.table.write(switches.spend(Decimal("1"), date(2026, 11, 30)))
    assert len(changes(stack.brief())) == 1
    assert stack.model.requests == []


def test_dst_days_have_one_brief_each() -> None:
    stack = Mornings()
    days = ("2026-10-24", "2026-10-25", "2026-10-26", "2027-03-27", "2027-03-28")
    names = []
    for day in days:
        stack.world.clock.moment = datetime.combine(date.fromisoformat(day), time(6, 30), ZONE).astimezone(UTC)
        stack.run()
        stack.run()
        names.append(stack.channels["channel"].accepted[-1].in_reply_to)
    assert names == [f"daily-brief/{day}" for day in days]
    assert len(stack.channels["channel"].accepted) == 5


def test_personal_data_in_an_appointment_is_redacted_before_it_is_written() -> None:
    stack = Mornings("calendar")
    start = datetime(2026, 11, 30, 9, 0, tzinfo=ZONE)
    stack.sources["calendar"].harvest = lambda reading: Harvest(
        reading, appointments=(Appointment("Call ana@example.com", start, start + timedelta(hours=1)),)
    )
    assert "- 09:00–10:00 Call [email]" in stack.brief()


def test_the_model_is_told_what_was_reported_in_seven_days_and_not_what_is_older() -> None:
    stack = Mornings("mail")
    source = stack.sources["mail"]
    source.shown = [mail("old", "Old matter")]
    stack.run()
    for _ in range(5):
        stack.next_morning()
        stack.run()
    source.shown = [*source.shown, mail("young", "Young matter")]
    stack.next_morning()
    stack.run()
    for _ in range(3):
        stack.next_morning()
    source.shown = [*source.shown, mail("new", "New matter")]
    stack.run()
    prompt = stack.model.requests[-1].messages[0].text
    assert "<already-reported>\nYoung matter\n</already-reported>" in prompt


def test_the_decision_holds_cost_checks_and_what_was_told() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    stack.run()
    [view] = decisions.of_event(stack.world.table, stack.settings.space, "daily-brief/2026-11-30", stack.now)
    assert (view["bot"], view["outcome"], view["checks"]) == ("daily_brief", "replied", ["ids"])
    assert view["memory_ids"] == ["tasks:task:1"]
    assert view["tokens"] == {"input": 300, "output": 40}
    assert view["cost_usd"] > 0
    assert view["model_calls"] == 1


def test_erasing_a_customer_takes_the_text_of_the_briefs_that_told_of_them() -> None:
    stack = Mornings()
    ana = Scope(stack.settings.space, "instagram", "club", "ana")
    stack.sources["tasks"].shown = [replace(task("1", "Refund wanted"), about=ana.partition), task("2")]
    stack.run()
    stack.next_morning()
    stack.sources["tasks"].shown.append(task("3"))
    stack.run()
    receipt = erase(Estate(stack.world.table, stack.world.clock, stack.settings.space), REGISTRY, ana)
    assert (receipt.counts["brief"], receipt.counts["alert"]) == (1, 1)
    assert "Refund wanted" not in str(stack.world.table.all_items())


def test_an_old_occurrence_that_is_repeated_late_leaves_a_later_brief_alone() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1")]
    yesterday = stack.now
    stack.next_morning()
    stack.channels["channel"].faults = [lost()]
    with pytest.raises(RetryableError):
        stack.run()
    assert stack.run(yesterday) == {"channel": "too_late"}
    stack.world.clock.advance(minutes=1)
    stack.run()
    assert [one.in_reply_to for one in stack.channels["channel"].accepted] == ["daily-brief/2026-12-01"]
    stack.next_morning()
    assert changes(stack.brief()) == []


def test_a_countdown_is_no_news_and_crossing_into_tomorrow_today_and_overdue_is() -> None:
    stack = Mornings("tasks")
    page = b'{"tasks": [{"id": "1", "title": "Pay", "status": "open", "due": "2026-12-05"}]}'
    stack.sources["tasks"] = TaskList(FixedWeb({"https://t": page}), "https://t", ZONE)  # type: ignore[assignment]
    told = []
    for _ in range(8):
        told.append([line.removeprefix("- ") for line in changes(stack.brief())])
        stack.next_morning()
    assert told == [
        ["**NEW** task: Pay (status: open; due: Saturday 5 December, within a week)"],
        [],
        [],
        [],
        ["**UPDATE** task: Pay (due: within a week → tomorrow (Saturday 5 December))"],
        ["**UPDATE** task: Pay (due: tomorrow → today (Saturday 5 December))"],
        ["**UPDATE** task: Pay (due: today → overdue (Saturday 5 December))"],
        [],
    ]


def test_a_due_date_that_somebody_moves_is_news_within_its_phase_too() -> None:
    stack = Mornings()
    stack.sources["tasks"].shown = [task("1", due="2026-12-20", due_phase="later")]
    stack.brief()
    stack.next_morning()
    stack.sources["tasks"].shown = [task("1", due="2026-12-30", due_phase="later")]
    assert changes(stack.brief()) == [
        "- **UPDATE** task: Task 1 (due: Sunday 20 December, in more than a week → "
        "Wednesday 30 December, in more than a week)"
    ]
