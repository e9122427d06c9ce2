"""What the bot answers, skips, escalates and holds back, and what it costs."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from onthoud.delivery import decisions
from onthoud.delivery.drafts import Drafts
from onthoud.delivery.switches import SwitchBoard
from onthoud.delivery.threads import ThreadBoard
from onthoud.errors import PermanentError, RetryableError
from onthoud.ports.channel import FailureClass, SendError
from onthoud.ports.model import ModelAnswer, Usage
from onthoud.scope import Scope
from onthoud.text.graphemes import split_for
from tests.fakes.world import START, World, comment, lost, plenty, reply, transient
from tests.faults.fifo import Fifo
from tests.faults.matrix import entries
from tests.unit.social.test_history import at, deliver, history


def outcome(world: World, event_id: str) -> tuple[str, str]:
    found = decisions.of_event(world.table, world.settings.space, event_id, world.clock.now())
    assert len(found) == 1, found
    return found[0]["outcome"], found[0]["reason"]


def drafts(world: World) -> Drafts:
    runtime = world.runtime()
    return Drafts(runtime.outbox, runtime.sender, world.clock, split_for)


# -- the normal path


def test_a_reply_costs_two_reads_one_transaction_and_one_write() -> None:
    world = World()
    deliver(world, comment("c-1"))
    world.table.calls.clear()
    deliver(world, comment("c-2", occurred_at=at(1)))
    assert world.table.calls == ["get_many", "query", "transact", "write"]
    found = decisions.of_event(world.table, world.settings.space, "c-2", world.clock.now())[0]
    assert (found["reads"], found["writes"], found["model_calls"]) == (2, 2, 1)


def test_the_decision_states_the_units_that_were_really_used() -> None:
    world = World()
    deliver(world, comment("c-1"))
    before = world.table.meter.copy()
    deliver(world, comment("c-2", occurred_at=at(1)))
    used = world.table.meter.since(before)
    found = decisions.of_event(world.table, world.settings.space, "c-2", world.clock.now())[0]
    assert found["units"] == {"read": used.read_units, "write": used.write_units}


def test_the_second_comment_of_a_batch_sees_the_first_ones_reply() -> None:
    world = World()
    batch = {
        "schema": "onthoud.comments.v1",
        "comments": [comment("c-1", "one"), comment("c-2", "two", occurred_at=at(1))],
    }
    world.model.script = [reply("The first answer."), reply("The second answer.")]
    deliver(world, batch)
    assert "The first answer." in [message.text for message in world.model.requests[1].messages]
    assert world.table.calls.count("query") <= 1
    assert history(world) == [("c-1", "one"), ("c-1", "<reply>"), ("c-2", "two"), ("c-2", "<reply>")]


def test_a_customer_answered_before_is_never_new_though_the_window_holds_no_reply() -> None:
    world = World(window_turns=2)
    deliver(world, comment("c-1"))
    world.model.script = [reply("", "skip", why="no_answer_needed")] * 3
    deliver(world, *(comment(f"c-{n}", f"hm {n}", occurred_at=at(n)) for n in (2, 3, 4)))
    deliver(world, comment("c-5", occurred_at=at(5)))
    assert all(message.role == "user" for message in world.model.requests[-1].messages)
    assert 'answered-before="yes"' in world.model.requests[-1].messages[-1].text


def test_entities_and_markup_are_decoded_before_the_model_sees_them() -> None:
    world = World()
    deliver(world, comment("c-1", "I&#39;m in<br />see <b>you</b>", channel="youtube"))
    assert "I'm in\nsee you" in world.model.requests[0].messages[-1].text


def test_personal_data_is_redacted_before_it_is_stored_or_shown() -> None:
    world = World()
    deliver(world, comment("c-1", "Mail me at ana@example.com or 06 12345678"))
    assert "ana@example.com" not in str(world.table.all_items())
    assert "12345678" not in str(world.table.all_items())
    assert "ana@example.com" not in world.model.requests[0].messages[-1].text


def test_a_text_over_the_limit_is_cut_at_a_grapheme_with_a_mark() -> None:
    world = World(turn_bytes=256)
    deliver(world, comment("c-1", "a" + "👨‍👩‍👧‍👦" * 100))
    kept = history(world)[0][1]
    assert len(kept.encode()) <= 256
    assert kept.endswith("👨‍👩‍👧‍👦…")


# -- what needs no reply


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"author": {"id": "club-2", "name": "Club", "is_self": False}}, "own_comment"),
        ({"author": {"id": "someone", "name": "Club", "is_self": True}}, "own_comment"),
        ({"author": {"id": "club", "name": "Club", "is_self": False}}, "own_comment"),
        ({"text": "🔥🔥👏"}, "emoji_only"),
        ({"text": "  \u200b "}, "empty"),
        ({"text": None}, "empty"),
        ({"text": None, "attachments": [{"type": "sticker"}]}, "attachment_only"),
        ({"text": "@ben @cas"}, "mentions_only"),
    ],
)
def test_what_needs_no_reply_is_skipped_with_a_reason(change: dict[str, Any], reason: str) -> None:
    world = World(own_ids="club-1,club-2")
    deliver(world, comment("c-1", **change))
    assert outcome(world, "c-1") == ("skipped", reason)
    assert world.channel.accepted == [] and world.model.requests == []


def test_an_echo_of_our_own_reply_is_no_takeover() -> None:
    world = World()
    world.model.script = [reply("Yes, courts 1 to 4 have lights!")]
    deliver(world, comment("c-1"))
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    echo = comment("p-77", "Yes,  courts 1 to 4 have lights!", author={"id": "club"}, thread=thread)
    deliver(world, echo)
    assert outcome(world, "p-77") == ("skipped", "echo")
    deliver(world, comment("c-2", "Thanks", occurred_at=at(2), thread=thread))
    assert outcome(world, "c-2")[0] == "replied"


def test_a_persons_answer_to_a_picture_is_remembered_of_who_sent_it() -> None:
    world = World()
    deliver(world, comment("c-1", None, attachments=[{"type": "gif"}]))
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    deliver(world, comment("h-1", "Nice one! Jan", author={"id": "club"}, thread=thread, occurred_at=at(1)))
    turns = world.runtime().memory.read(Scope(world.settings.space, "instagram", "club", "ana-1")).turns
    assert [(turn.event_id, turn.role, turn.content) for turn in turns] == [("h-1", "assistant", "Nice one! Jan")]


def test_an_echo_under_the_comment_that_was_answered_is_one_wherever_its_thread_begins() -> None:
    world = World()
    deliver(world, comment("c-1"))
    deliver(world, comment("c-2", "And balls?", thread={"post_id": "p-1", "parent_id": "c-1"}, occurred_at=at(1)))
    under = {"author": {"id": "club"}, "thread": {"post_id": "p-1", "parent_id": "c-2"}, "occurred_at": at(2)}
    deliver(world, comment("e-1", world.channel.accepted[-1].text, **under))
    deliver(world, comment("h-1", "Jan here", **under))
    assert (outcome(world, "e-1"), outcome(world, "h-1")) == (("skipped", "echo"), ("skipped", "own_comment"))


def test_the_bots_own_words_are_known_again_though_redaction_would_change_them() -> None:
    world = World()
    world.model.script = [reply("", action="escalate", why="unknown_answer")]
    youtube = {"channel": "youtube"}
    deliver(world, comment("c-1", **youtube))
    [draft] = drafts(world).waiting()
    drafts(world).edit(draft.id, "Don't forget: info@club.example")
    drafts(world).approve(draft.id, plenty())
    escaped = "Don&#39;t forget: info@club.example"
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    deliver(world, comment("e-1", escaped, author={"id": "club"}, thread=thread, occurred_at=at(1), **youtube))
    assert outcome(world, "e-1") == ("skipped", "echo")


def test_a_persons_answer_silences_the_bot_in_that_thread_and_is_remembered_as_the_accounts() -> None:
    world = World()
    deliver(world, comment("c-1"))
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    deliver(
        world, comment("h-1", "Jan here, I will call you.", author={"id": "club"}, thread=thread, occurred_at=at(1))
    )
    deliver(world, comment("c-2", "Great", thread=thread, occurred_at=at(2)))
    assert outcome(world, "c-2") == ("drafted", "human_answered")
    assert len(world.channel.accepted) == 1
    turns = world.runtime().memory.read(Scope(world.settings.space, "instagram", "club", "ana-1")).turns
    assert [(turn.role, turn.event_id) for turn in turns] == [
        ("user", "c-1"), ("assistant", "c-1"), ("assistant", "h-1"), ("user", "c-2"),
    ]  # fmt: skip


def test_a_deletion_right_behind_its_comment_means_no_reply() -> None:
    world = World()
    deliver(world, comment("c-1"), comment("c-1", None, verb="deleted", author=None, occurred_at=at(1)), batch_size=10)
    assert world.channel.accepted == [] and history(world) == []


def test_a_deletion_before_its_comment_means_no_reply() -> None:
    world = World()
    deliver(world, comment("c-1", None, verb="deleted", occurred_at=at(1)), comment("c-1"))
    assert world.channel.accepted == [] and history(world) == []


def test_a_comment_deleted_after_its_answer_takes_its_words_out_of_memory() -> None:
    world = World()
    deliver(world, comment("c-1"), comment("c-1", None, verb="deleted", author=None, occurred_at=at(9)))
    assert history(world) == [("c-1", "<reply>")]


def test_a_draft_of_a_deleted_comment_is_gone() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"), comment("c-1", None, verb="deleted", occurred_at=at(1)))
    assert entries(world)["c-1"].state == "GONE"
    assert drafts(world).waiting() == []


# -- held back


def _stop_all(world: World) -> None:
    SwitchBoard(world.table, world.settings.space).all(on=False, now=world.clock.now())


def _stop_account(world: World) -> None:
    SwitchBoard(world.table, world.settings.space).account("club", on=False, now=world.clock.now())


def _stop_customer(world: World) -> None:
    scope = Scope(world.settings.space, "instagram", "club", "ana-1")
    SwitchBoard(world.table, world.settings.space).customer(scope, on=False, now=world.clock.now())


def _stop_thread(world: World) -> None:
    ThreadBoard(world.table).set("thread#main#default#instagram#club#p-1#c-1", world.clock.now(), stopped_at="now")


def _human(world: World) -> None:
    ThreadBoard(world.table).set("thread#main#default#instagram#club#p-1#c-1", world.clock.now(), human_at="now")


STOPS = [
    (_stop_all, "switch_all"),
    (_stop_account, "switch_account"),
    (_stop_customer, "switch_customer"),
    (_stop_thread, "switch_thread"),
    (_human, "human_answered"),
]


@pytest.mark.parametrize(("stop", "reason"), STOPS)
def test_a_stop_set_before_holds_the_event_back_unpaid_as_a_draft(stop: Any, reason: str) -> None:
    world = World()
    stop(world)
    queue = deliver(world, comment("c-1"))
    assert outcome(world, "c-1") == ("drafted", reason)
    assert world.channel.accepted == [] and world.model.requests == [] and queue.dead == []
    assert history(world) == [("c-1", "Do you have lights on court 3?")]


@pytest.mark.parametrize(("stop", "reason"), STOPS)
def test_a_stop_set_while_the_model_writes_holds_the_reply_back(stop: Any, reason: str) -> None:
    world = World()
    done: list[bool] = []

    def hook(target: str, phase: str) -> None:
        if (target, phase) == ("model", "after") and not done:
            done.append(True)
            stop(world)

    world.hooked(hook)
    deliver(world, comment("c-1"))
    assert outcome(world, "c-1") == ("drafted", reason)
    assert world.channel.accepted == [] and len(world.model.requests) == 1
    assert drafts(world).waiting()[0].message.text == "Thanks, good to hear from you!"


def test_an_event_that_is_too_old_becomes_a_draft() -> None:
    world = World()
    deliver(world, comment("c-1", occurred_at=(START - timedelta(hours=73)).isoformat()))
    assert outcome(world, "c-1") == ("drafted", "too_old")


def test_the_daily_budget_stops_the_spending_and_a_new_day_lifts_it() -> None:
    world = World(daily_budget_usd=Decimal("0.0015"))
    deliver(world, *(comment(f"c-{n}", occurred_at=at(n)) for n in range(4)))
    assert [outcome(world, f"c-{n}") for n in range(4)] == [
        ("replied", ""),
        ("replied", ""),
        *[("drafted", "daily_budget")] * 2,
    ]
    world.clock.advance(days=1)
    deliver(world, comment("c-9", occurred_at=world.clock.now().isoformat()))
    assert outcome(world, "c-9")[0] == "replied"


def test_the_loop_guard_lets_n_replies_per_thread_and_hour_pass() -> None:
    world = World(replies_per_thread_and_hour=2)
    thread = {"post_id": "p-1", "parent_id": "top"}
    deliver(world, *(comment(f"c-{n}", f"hi {n}", thread=thread, occurred_at=at(n)) for n in range(4)))
    assert len(world.channel.accepted) == 2
    assert outcome(world, "c-3") == ("drafted", "loop_guard")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("off", ("skipped", "mode_off")), ("shadow", ("skipped", "shadow")), ("draft", ("drafted", "mode_draft"))],
)
def test_modes(mode: str, expected: tuple[str, str]) -> None:
    world = World(mode=mode)
    deliver(world, comment("c-1"))
    assert outcome(world, "c-1") == expected
    assert world.channel.accepted == []
    assert len(drafts(world).waiting()) == (1 if mode == "draft" else 0)


def test_a_bot_and_an_account_may_have_a_mode_of_their_own() -> None:
    world = World(mode="auto", modes="booking=draft,social_reply/club=shadow")
    deliver(world, comment("c-1"), comment("c-2", account_id="other"))
    assert outcome(world, "c-1") == ("skipped", "shadow")
    assert outcome(world, "c-2")[0] == "replied"


# -- drafts


def test_an_approved_draft_is_sent_once_and_becomes_history() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    assert drafts(world).approve(short, plenty()).state == "SENT"
    assert history(world) == [("c-1", "Do you have lights on court 3?"), ("c-1", "<reply>")]
    assert outcome(world, "c-1")[0] == "replied"
    deliver(world, comment("c-1"))
    assert len(world.channel.accepted) == 1


def test_a_kill_switch_holds_even_an_approved_draft() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    _stop_all(world)
    short = drafts(world).waiting()[0].id
    assert drafts(world).approve(short, plenty()).hold == "switch_all"
    assert world.channel.accepted == []


def test_an_edit_keeps_the_bots_own_text_beside_it() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    drafts(world).edit(short, "A better text.")
    drafts(world).approve(short, plenty())
    assert world.channel.accepted[0].text == "A better text."
    assert entries(world)["c-1"].base["bot_text"] == "Thanks, good to hear from you!"


def test_an_empty_draft_cannot_be_approved_and_a_rejected_one_is_over() -> None:
    world = World()
    _stop_all(world)
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    with pytest.raises(PermanentError, match="has no text yet"):
        drafts(world).approve(short, plenty())
    drafts(world).reject(short)
    assert drafts(world).waiting() == []


# -- the channel fails


def test_a_lost_answer_is_read_back_and_never_sent_again() -> None:
    world = World()
    world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    deliver(world, comment("c-1"))
    assert len(world.channel.accepted) == 1 and world.channel.attempts == 1
    assert outcome(world, "c-1")[0] == "replied"


def test_where_nobody_can_be_asked_a_person_decides() -> None:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    deliver(world, comment("c-1"))
    assert entries(world)["c-1"].state == "UNKNOWN" and world.channel.attempts == 1
    deliver(world, comment("c-2", occurred_at=at(1)))
    assert "<unconfirmed_reply" in " ".join(message.text for message in world.model.requests[-1].messages)
    short = drafts(world).unsettled()[0].id
    assert drafts(world).settle(short, sent=False).hold == "not_sent"
    assert world.runtime().memory.read(Scope(world.settings.space, "instagram", "club", "ana-1")).head.replies == 1
    drafts(world).approve(short, plenty())
    assert entries(world)["c-1"].state == "SENT"


def test_a_refusal_for_now_is_tried_again_by_the_queue() -> None:
    world = World(replies_per_thread_and_hour=1)
    world.channel.faults = [transient(), transient()]
    queue = deliver(world, comment("c-1"))
    assert len(world.channel.accepted) == 1 and queue.dead == [] and world.dead.sent == []
    assert len(world.model.requests) == 1


def test_a_far_end_that_refuses_for_now_after_the_work_was_done_is_asked_before_it_is_tried_again() -> None:
    world = World()
    world.channel.is_idempotent = False
    world.channel.faults = [("after", SendError(FailureClass.TRANSIENT, "429"))]
    deliver(world, comment("c-1"))
    assert len(world.channel.accepted) == 1 and world.channel.attempts == 1
    assert outcome(world, "c-1")[0] == "replied"


@pytest.mark.parametrize(
    ("failure", "state"), [(FailureClass.POLICY, "FAILED"), (FailureClass.GONE, "GONE"), (FailureClass.AUTH, "PLANNED")]
)
def test_a_refusal_for_good_is_never_tried_again(failure: FailureClass, state: str) -> None:
    world = World()
    world.channel.faults = [("before", SendError(failure, "403"))]
    deliver(world, comment("c-1"))
    assert entries(world)["c-1"].state == state and world.channel.attempts == 1
    assert world.runtime().memory.read(Scope(world.settings.space, "instagram", "club", "ana-1")).head.replies == 0


def test_refused_credentials_stop_the_account_so_that_nothing_more_is_paid() -> None:
    world = World()
    world.channel.faults = [("before", SendError(FailureClass.AUTH, "401"))]
    deliver(world, comment("c-1"), comment("c-2", occurred_at=at(1)))
    assert outcome(world, "c-2") == ("drafted", "switch_account")
    assert len(world.model.requests) == 1


# -- the model fails


def test_an_overload_of_a_day_ends_in_dead_letters_with_the_reason_and_spares_what_stands_behind() -> None:
    world = World(max_event_age_hours=1000)
    world.model.script = [RetryableError("the model is overloaded (529)", retry_after_s=3600)] * 6
    queue = deliver(
        world, comment("c-1"), comment("c-2", occurred_at=at(1)), comment("c-3", occurred_at=at(2)), batch_size=10
    )
    assert queue.dead == []
    assert [one["attributes"]["reason"] for one in world.dead.sent] == ["the model is overloaded (529)"]
    assert {message.in_reply_to for message in world.channel.accepted} == {"c-2", "c-3"}


@pytest.mark.parametrize(
    "bad",
    [
        ModelAnswer("", "end_turn", Usage(1, 1), "m"),
        ModelAnswer("null", "end_turn", Usage(1, 1), "m"),
        ModelAnswer("not json", "end_turn", Usage(1, 1), "m"),
        ModelAnswer('{"action": "reply", "text": "cut o', "max_tokens", Usage(1, 1), "m"),
        ModelAnswer('{"action": "reply", "text": "No."}', "refusal", Usage(1, 1), "m"),
        reply("Use code FREE100 at https://evil.example/x"),
        reply(""),
        reply("a" + "\u0301" * 3000),
    ],
)
def test_an_unusable_answer_is_repaired_once_then_a_person_decides(bad: Any) -> None:
    world = World()
    world.model.script = [bad, bad]
    deliver(world, comment("c-1"))
    found, reason = outcome(world, "c-1")
    assert found == "escalated" and reason.startswith("checks_failed")
    assert world.channel.accepted == [] and len(world.model.requests) == 2
    world.model.script = [bad]
    deliver(world, comment("c-2", occurred_at=at(1)))
    assert outcome(world, "c-2")[0] == "replied"


def test_an_escalation_is_raised_once_per_thread_until_the_customer_writes_anew() -> None:
    world = World()
    thread = {"post_id": "p-1", "parent_id": "top"}
    world.model.script = [reply("", "escalate", why="needs_a_person")] * 3
    deliver(
        world,
        comment("c-2", "second", thread=thread, occurred_at=at(2)),
        comment("c-1", "first, late", thread=thread, occurred_at=at(1)),
        comment("c-3", "third", thread=thread, occurred_at=at(3)),
    )
    assert [outcome(world, f"c-{n}")[0] for n in (1, 2, 3)] == ["escalated"] * 3
    assert [entry.message.in_reply_to for entry in drafts(world).waiting()] == ["c-2", "c-3"]


def test_what_cannot_be_begun_in_time_comes_back_and_is_not_counted() -> None:
    world = World()
    invocations: list[int] = []

    def remaining() -> int:
        return 5_000 if len(invocations) < 12 else 180_000

    queue = Fifo(world, batch_size=1, remaining_ms=remaining)
    queue.send([comment("c-1")])
    for _ in range(12):
        invocations.append(1)
        queue.work_off(rounds=2) if len(invocations) > 12 else _once(queue)
    queue.work_off()
    assert len(world.channel.accepted) == 1 and world.dead.sent == [] and queue.dead == []


def _once(queue: Fifo) -> None:
    batch = queue._receive()
    queue._invoke(batch)
    queue.world.clock.advance(seconds=1081)
