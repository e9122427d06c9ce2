"""What is told, once; and what is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from onthoud.errors import Conflict, PermanentError
from onthoud.memory.alerts.explain import Story, story, why_not
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Reading, Rules
from onthoud.memory.alerts.phases import Amount, Ladder
from onthoud.memory.alerts.states import State
from onthoud.memory.alerts.store import KeptPlan
from onthoud.scope import Scope
from tests.unit.alerts.setting import READER, SPACE, START, Setting, news, task

KEY = "tasks:task:t1"
BLOCKED = {"status": "blocked"}


def test_an_unchanged_alert_is_told_once_in_thirty_days() -> None:
    setting = Setting()
    assert [setting.morning(task()) for _ in range(30)] == [[f"NEW {KEY}"]] + [[]] * 29


def test_reminders_come_at_their_ages_where_they_are_set() -> None:
    setting = Setting(Rules((READER,), remind_after_days=(3, 7)))
    told = [setting.morning(task()) for _ in range(12)]
    assert [day for day, lines in enumerate(told) if lines] == [0, 3, 7]


def test_a_change_is_told_once_with_what_was_told_before() -> None:
    setting = Setting()
    setting.morning(task())
    plan = setting.observe(setting.read(task(material=BLOCKED)))
    [line] = plan.lines
    assert line.news[0].before == {"status": "open", "due": "none"}
    assert line.news[0].alert.material["status"] == "blocked"
    setting.deliver(plan)
    assert setting.morning(task(material=BLOCKED)) == []


def test_there_and_back_between_two_briefs_is_no_news() -> None:
    setting = Setting()
    setting.morning(task())
    setting.observe(setting.read(task(material=BLOCKED)))
    assert setting.morning(task()) == []


def test_a_failed_source_resolves_nothing_is_told_once_and_takes_it_back() -> None:
    setting = Setting()
    setting.morning(task())
    down = [setting.brief(setting.read(complete=False, error="500")) for _ in range(3)]
    assert down == [["NEW log:unread:tasks"], [], []]
    assert setting.morning(task()) == ["RESOLVED log:unread:tasks"]


def test_what_a_partial_reading_shows_counts_and_what_it_lacks_does_not() -> None:
    setting = Setting()
    setting.morning(task("t1"), task("t2"))
    lines = setting.brief(setting.read(task("t2", material=BLOCKED), task("t3"), complete=False, error="partial"))
    assert lines == ["NEW log:unread:tasks", "NEW tasks:task:t3", "UPDATE tasks:task:t2"]
    alert = setting.log.get(KEY)
    assert alert is not None and alert.state is State.OPEN


def test_resolved_by_hand_then_gone_and_back_is_reopened() -> None:
    setting = Setting()
    setting.morning(task())
    setting.log.resolve(KEY, by="me")
    assert [setting.morning(task()), setting.morning(), setting.morning(task())] == [[], [], [f"REOPENED {KEY}"]]


def test_a_snooze_until_a_time_is_silent_through_change_and_absence() -> None:
    setting = Setting()
    setting.morning(task())
    setting.log.snooze(KEY, START + timedelta(days=5), by="me")
    assert setting.morning(task(material=BLOCKED)) == []
    assert setting.morning() == []
    assert setting.morning(task(material=BLOCKED)) == []
    assert setting.morning(task(material=BLOCKED)) == [f"SNOOZE-ENDED {KEY}"]
    assert setting.morning(task(material=BLOCKED)) == []


def test_a_mute_outlives_the_alert_and_is_asked_about_once() -> None:
    setting = Setting()
    setting.morning(task())
    setting.log.mute(KEY, "known noise", by="me", review_at=START + timedelta(days=4))
    told = [setting.morning(), setting.morning(task(material=BLOCKED)), setting.morning(), setting.morning()]
    assert told == [[], [], [f"MUTE-REVIEW {KEY}"], []]
    alert = setting.log.get(KEY)
    assert alert is not None and (alert.state, alert.mute_reason) == (State.MUTED, "known noise")


def test_human_fields_survive_every_machine_update() -> None:
    setting = Setting()
    setting.morning(task())
    setting.log.annotate(KEY, note="call Ana first", owner="bo", by="me")
    setting.morning(task(material=BLOCKED))
    setting.morning()
    setting.morning(task(title="Another title"))
    alert = setting.log.get(KEY)
    assert alert is not None and (alert.note, alert.owner, alert.title) == ("call Ana first", "bo", "Another title")


def test_a_crash_before_the_commit_costs_a_repetition_never_a_silence() -> None:
    setting = Setting()
    setting.observe(setting.read(task()))
    assert setting.morning(task()) == [f"NEW {KEY}"]


def test_an_interrupted_commit_is_finished_without_telling_twice() -> None:
    setting = Setting()
    plan = setting.observe(setting.read(task("t1"), task("t2")))
    writes = setting.log.keep(plan)
    setting.table.transact(writes)
    kept = KeptPlan.of(plan, writes)
    setting.log.commit(replace(kept, tellings=kept.tellings[:1], places=()))
    [again] = setting.log.uncommitted()
    assert setting.log.commit(again) == 1
    assert setting.log.uncommitted() == []
    assert setting.morning(task("t1"), task("t2")) == []


def test_an_unknown_outcome_is_repeated_as_possibly_seen_until_it_is_certain() -> None:
    setting = Setting()
    assert setting.brief(setting.read(task()), certain=False) == [f"NEW {KEY}"]
    plan = setting.observe(setting.read(task()))
    assert [line.news[0].possibly_seen for line in plan.lines] == [True]
    setting.deliver(plan)
    assert setting.morning(task()) == []


def test_gone_after_an_unknown_outcome_is_still_owed_a_word() -> None:
    setting = Setting()
    setting.brief(setting.read(task()), certain=False)
    plan = setting.observe(setting.read())
    assert news(plan) == [f"RESOLVED {KEY}"]
    assert plan.lines[0].news[0].possibly_seen


def test_back_to_the_old_value_after_an_unknown_update_is_told() -> None:
    setting = Setting()
    setting.morning(task())
    setting.brief(setting.read(task(material=BLOCKED)), certain=False)
    assert setting.morning(task()) == [f"UPDATE {KEY}"]
    assert setting.morning(task()) == []


def test_each_audience_has_its_own_memory() -> None:
    setting = Setting(Rules(("slack", "mail")))
    run = setting.observe(setting.read(task()), audience="slack")
    setting.deliver(run)
    assert news(setting.observe(setting.read(task()), audience="slack")) == []
    assert setting.brief(setting.read(task()), audience="mail") == [f"NEW {KEY}"]
    setting.brief(setting.read(), audience="mail")
    alert = setting.log.get(KEY)
    assert alert is not None and alert.state is State.GONE  # slack is owed its word
    assert setting.brief(setting.read(), audience="slack") == [f"RESOLVED {KEY}"]
    assert setting.log.get(KEY).state is State.CLOSED  # type: ignore[union-attr]


def test_a_suspicious_reading_is_held_told_once_and_believed_when_a_person_says_so() -> None:
    setting = Setting()
    many = [task(f"t{n}") for n in range(30)]
    setting.morning(*many)
    few = many[:10]
    assert setting.morning(*few) == ["NEW log:held:tasks"]
    assert setting.morning(*few) == []
    assert len(setting.log.all()) == 31
    setting.log.resolve("log:held:tasks", by="me")
    assert len(setting.morning(*few)) == 20
    setting.morning(*few)
    assert len(setting.log.all()) == 10


@pytest.mark.parametrize(("before", "gone", "held"), [(30, 10, False), (11, 11, True), (22, 11, False), (21, 11, True)])
def test_the_bounds_of_the_hold(before: int, gone: int, held: bool) -> None:
    setting = Setting()
    many = [task(f"t{n}") for n in range(before)]
    setting.morning(*many)
    lines = setting.morning(*many[gone:])
    assert (lines == ["NEW log:held:tasks"]) is held
    assert held or len(lines) == gone


def test_one_outage_is_one_line_and_is_not_printed_again_for_its_old_members() -> None:
    setting = Setting()
    failed = [task(f"p{n}", group="payments", group_title="failed payments") for n in range(502)]
    plan = setting.observe(setting.read(*failed[:500]))
    assert [(line.title, line.total, len(line.news)) for line in plan.lines] == [("failed payments", 500, 500)]
    setting.deliver(plan)
    plan = setting.observe(setting.read(*failed))
    assert [(line.title, line.total, len(line.news)) for line in plan.lines] == [("failed payments", 502, 2)]
    setting.deliver(plan)
    assert setting.observe(setting.read(*failed)).lines == ()


def test_many_lines_of_one_kind_become_one() -> None:
    setting = Setting()
    plan = setting.observe(setting.read(*[task(f"t{n}") for n in range(101)]))
    assert [len(line.news) for line in plan.lines] == [101]
    assert len(plan.tellings) == 101


def test_as_many_lines_as_a_person_can_read_stay_lines() -> None:
    setting = Setting()
    assert len(setting.observe(setting.read(*[task(f"t{n}") for n in range(100)])).lines) == 100


def test_the_trust_lines_numbers_add_up() -> None:
    setting = Setting()
    setting.morning(*[task(f"t{n}") for n in range(6)])
    setting.log.snooze_until_change("tasks:task:t0", by="me")
    setting.log.mute("tasks:task:t1", "noise", by="me")
    setting.clock.forward(days=1)
    plan = setting.observe(setting.read(*[task(f"t{n}") for n in range(5)], task("t9")))
    counts = plan.counts
    assert (counts.open, counts.told, counts.unchanged, counts.snoozed) == (5, 1, 3, 1)
    assert (counts.muted, counts.resolved) == (1, 1)
    assert counts.open == counts.told + counts.unchanged + counts.snoozed


def test_a_flickering_amount_is_no_news_and_a_step_is() -> None:
    ladder = Ladder((1, 10, 100))

    def queue(depth: int) -> Observation:
        return Observation("onthoud", "queue", "dlq", "Dead letters", {}, {"depth": Amount(depth, ladder)})

    setting = Setting()
    told = []
    for depth in (3, 5, 10, 9, 10, 8, 7, 120):
        told.append(bool(setting.brief(setting.read(queue(depth), source="onthoud"))))
    assert told == [True, False, True, False, False, True, False, True]


def test_a_new_declaration_of_fields_is_taken_over_silently_unless_a_known_field_changed() -> None:
    setting = Setting()
    setting.morning(task("t1"), task("t2"))
    wider = {"priority": "high"}
    lines = setting.morning(
        task("t1", declaration=2, material=wider), task("t2", declaration=2, material=wider | BLOCKED)
    )
    assert lines == ["UPDATE tasks:task:t2"]
    low, high = {"priority": "low"}, wider | BLOCKED
    again = setting.morning(task("t1", declaration=2, material=low), task("t2", declaration=2, material=high))
    assert again == [f"UPDATE {KEY}"]


def test_an_older_reading_that_arrives_late_changes_nothing() -> None:
    setting = Setting()
    late = setting.read()
    setting.morning(task())
    setting.observe(late)
    alert = setting.log.get(KEY)
    assert alert is not None and alert.state is State.OPEN


def test_several_complete_readings_may_be_asked_for_before_something_is_gone() -> None:
    setting = Setting(Rules((READER,), resolve_after=2))
    told = [setting.morning(task()), setting.morning(), setting.morning(task()), setting.morning(), setting.morning()]
    assert told == [[f"NEW {KEY}"], [], [], [], [f"RESOLVED {KEY}"]]


def test_a_recurrence_is_recognised_for_400_days_and_then_is_new() -> None:
    setting = Setting()
    setting.morning(task())
    setting.morning()
    setting.clock.forward(days=398)
    assert setting.morning(task()) == [f"REOPENED {KEY}"]
    setting.morning()
    setting.clock.forward(days=401)
    assert setting.morning(task()) == [f"NEW {KEY}"]  # the expired tombstone still lies in the table


def test_the_last_hundred_closed_alerts_keep_their_words_and_older_ones_are_tombstones() -> None:
    setting = Setting(Rules((READER,), hold_over=1000))
    setting.morning(*[task(f"t{n:03}", summary="words", url="https://example.com") for n in range(130)])
    setting.morning()
    closed = setting.log.all(closed=True)
    assert len(closed) == 130
    assert sum(1 for alert in closed if alert.summary) == 100
    bare = next(alert for alert in closed if not alert.summary)
    assert (bare.title, bare.history, dict(bare.data)) == (bare.key, (), {})
    assert setting.morning(task(bare.key.rsplit(":", 1)[1])) == [f"REOPENED {bare.key}"]


def test_only_what_changed_is_written() -> None:
    setting = Setting()
    many = [task(f"t{n}") for n in range(200)]
    setting.morning(*many)
    setting.clock.forward(days=1)
    writes = setting.table.meter.copy()
    plan = setting.observe(setting.read(*many[:-1], task("t199", material=BLOCKED)))
    spent = setting.table.meter.since(writes)
    assert spent.writes == 2  # the head with the sources' times, and the one alert
    assert len(plan.tellings) == 1


def test_two_runs_at_once_tell_the_same_and_lose_nothing() -> None:
    setting = Setting()
    setting.morning(task("t1"))
    reading = setting.read(task("t1", material=BLOCKED), task("t2"))
    other = AlertLog.of_operator(setting.table, setting.clock, SPACE, "daily-brief", "operator", setting.rules)
    raced = []

    def meddle(operation: str, phase: str) -> None:
        if operation in {"transact", "write"} and phase == "before" and not raced:
            raced.append(True)
            other.observe([reading], "daily-brief/x")

    setting.table.hook = meddle
    plan = setting.observe(reading)
    assert raced
    assert news(plan) == ["NEW tasks:task:t2", f"UPDATE {KEY}"]
    assert len([entry for entry in setting.log.get(KEY).history if entry.what == "changed"]) == 1  # type: ignore[union-attr]


def test_have_i_said_this_already() -> None:
    setting = Setting()
    scope = Scope(SPACE, "instagram", "club", "ana-1")
    log = AlertLog.of_customer(setting.table, setting.clock, scope, "recommended", Rules(("ana",)))
    article = Observation("articles", "article", "a-1", "How to serve", {"edition": 1})
    assert log.tell(article, "ana", "c-1")
    assert not log.tell(article, "ana", "c-2")
    assert log.tell(replace(article, material={"edition": 2}), "ana", "c-3")
    told = log.last_told("articles:article:a-1", "ana")
    assert told is not None and told.run == "c-3"
    assert log.last_told("articles:article:a-2", "ana") is None
    assert {item["pk"] for item in setting.table.all_items()} == {scope.partition}


def test_was_this_case_escalated_and_solved() -> None:
    setting = Setting()
    case = Observation("cases", "escalation", "thread-1", "Refund wanted", {"state": "waiting"})
    setting.brief(Reading("cases", setting.clock.now(), False, (case,)))
    setting.log.resolve(case.key, by="bo", note="refunded")
    alert = setting.log.get(case.key)
    assert alert is not None
    assert (alert.state, alert.resolved_by) == (State.RESOLVED, "hand (bo)")


def test_explain_tells_the_whole_story() -> None:
    setting = Setting()
    setting.morning(task())
    setting.morning(task(material=BLOCKED))
    setting.log.snooze_until_change(KEY, by="bo")
    alert = setting.log.get(KEY)
    assert alert is not None
    told = story(alert, setting.log.head().sources, setting.clock.now(), setting.rules)
    whole = "\n".join(told.lines)
    for part in ("first seen", "told new (daily-brief/1)", "status: open -> blocked", "told update", "(bo)"):
        assert part in whole
    assert told.now == {READER: "snoozed until it changes"}


def test_why_not_finds_what_was_left_out_and_says_why() -> None:
    setting = Setting()
    setting.morning(task(title="Pay the roof repair"), task("t2", title="Call Ana"))
    setting.brief(setting.read(complete=False, error="500"))

    def ask(text: str) -> list[Story]:
        head = setting.log.head()
        return why_not(text, setting.log.all(closed=True), head.sources, setting.clock.now(), setting.rules)

    [found] = ask("ROOF pay")
    assert found.key == KEY
    assert "unchanged since it was told in daily-brief/1; not checked since" in found.now[READER]
    assert ask("roof ana") == [] == ask("  ")


@pytest.mark.parametrize(
    "broken",
    [{"subject": ""}, {"title": ""}, {"source": "No Word"}, {"material": {}}],
    ids=lambda value: next(iter(value)),
)
def test_an_observation_without_identity_is_an_error(broken: dict[str, object]) -> None:
    fields: dict[str, object] = {
        "source": "mail",
        "kind": "message",
        "subject": "s",
        "title": "t",
        "material": {"a": 1},
    }
    with pytest.raises(PermanentError):
        Observation(**(fields | broken))  # type: ignore[arg-type]


def test_a_snooze_in_the_past_and_a_mute_without_reason_are_refused() -> None:
    setting = Setting()
    setting.morning(task())
    with pytest.raises(PermanentError):
        setting.log.snooze(KEY, START, by="me")
    with pytest.raises(PermanentError):
        setting.log.mute(KEY, "  ", by="me")


def test_a_conflict_that_does_not_end_is_said() -> None:
    setting = Setting()

    def always(operation: str, phase: str) -> None:
        if operation == "transact" and phase == "before":
            raise Conflict("somebody else")

    setting.table.hook = always
    with pytest.raises(Conflict):
        setting.observe(setting.read(task("t1"), task("t2")))


def test_text_from_outside_is_redacted_before_it_is_written_and_causes_no_news() -> None:
    setting = Setting()
    log = AlertLog.of_operator(
        setting.table, setting.clock, SPACE, "daily-brief", "operator", setting.rules,
        redact=lambda text: text.replace("ana@example.com", "[email]"),
    )  # fmt: skip
    shown = task(title="From ana@example.com", summary="ana@example.com wrote", material={"place": "ana@example.com"})
    seen = log.observe([setting.read(shown)], "r1")
    assert "ana@example.com" not in str(setting.table.all_items())
    plan = log.plan(seen, READER, "r1")
    setting.deliver(plan)
    assert log.plan(log.observe([setting.read(shown)], "r2"), READER, "r2").lines == ()


def test_what_a_bot_only_adds_ends_by_itself_when_its_time_has_passed() -> None:
    setting = Setting()
    clash = task("b-1", source="bookings", ends_at=START + timedelta(days=2))
    setting.brief(Reading("bookings", setting.clock.now(), False, (clash,)))
    assert [setting.morning(), setting.morning(), setting.morning()] == [[], [], []]
    alert = setting.log.get(clash.key)
    assert alert is not None and (alert.state, alert.resolved_by) == (State.CLOSED, "time")
    assert setting.log.all() == []


def test_an_observer_without_an_audience_takes_no_word_from_those_who_are_owed_one() -> None:
    setting = Setting()
    setting.morning(task())
    other = AlertLog.of_operator(setting.table, setting.clock, SPACE, "daily-brief", "operator", Rules(()))
    setting.clock.forward(hours=1)
    other.observe([setting.read()], "booking:1")
    assert setting.morning() == [f"RESOLVED {KEY}"]
