"""Two at once: redeliveries, the sweeper, people, stops, deletions and erasures, each at the worst moment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from onthoud.deadline import Deadline
from onthoud.delivery.outbox import Entry
from onthoud.delivery.switches import SwitchBoard
from onthoud.errors import Conflict, NotFound, PermanentError, RetryableError
from onthoud.memory.head import Head, head_key
from onthoud.memory.working import MOST_RENEWED
from onthoud.ports.channel import FailureClass, SendError
from onthoud.privacy.erasure import erase
from onthoud.privacy.registry import Estate, Registry
from tests.fakes.world import START, World, comment, lost, nothing, plenty, reply, transient
from tests.faults.fifo import Fifo, Killed, invoke
from tests.faults.matrix import entries
from tests.unit.social.test_history import ana, at, deliver, history
from tests.unit.social.test_replies import STOPS, _human, _stop_all, drafts, outcome

THREE_PARTS = " ".join(["Yes, the courts are lit."] * 110)


def when(world: World, target: str, phase: str, act: Any) -> None:
    """Do something once, at the first such call."""

    def hook(seen: str, stage: str) -> None:
        if (seen, stage) == (target, phase):
            world.hooked(nothing)
            act()

    world.hooked(hook)


def kill(message: str = "here") -> None:
    raise Killed(message)


def left(world: World, target: str = "send", phase: str = "before", event: dict[str, Any] | None = None) -> None:
    """Deliver a comment to a worker that dies at a call; its message never comes back."""
    queue = Fifo(world)
    queue.send([event or comment("c-1")])
    when(world, target, phase, kill)
    queue._invoke(queue._receive())
    world.hooked(nothing)


def erased(world: World) -> None:
    erase(Estate(world.table, world.clock, world.settings.space), Registry([]), ana(world))


def delete(world: World) -> None:
    deliver(world, comment("c-1", None, verb="deleted", author=None, occurred_at=at(1)))


def unsettled(world: World) -> Entry:
    return entries(world)["c-1"]


# -- what a crash left


@pytest.mark.parametrize("phase", ["before", "after"])
def test_the_sweeper_finishes_what_no_message_comes_back_for(phase: str) -> None:
    world = World()
    world.channel.is_idempotent = False
    left(world, phase=phase)
    world.clock.advance(minutes=14)
    assert world.runtime().sweeper.sweep(plenty()).settled == 0, "its worker may still be at it"
    world.clock.advance(minutes=2)
    assert world.runtime().sweeper.sweep(plenty()).settled == 1
    assert unsettled(world).state == "SENT" and len(world.channel.accepted) == 1


def test_a_redelivery_waits_while_another_worker_may_still_be_sending() -> None:
    world = World()
    left(world)
    queue = Fifo(world)
    queue.send([comment("c-1")])
    queue._invoke(queue._receive())
    assert world.channel.attempts == 0 and len(queue.lying) == 1
    queue.work_off()
    assert len(world.channel.accepted) == 1


def test_a_sweeper_beside_a_redelivery_sends_once() -> None:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = True
    left(world)
    world.channel.is_idempotent = False
    world.clock.advance(minutes=16)
    when(world, "write", "before", lambda: world.runtime().sweeper.sweep(plenty()))
    deliver(world, comment("c-1"))
    assert world.channel.attempts == 1 and unsettled(world).state == "SENT"


def test_only_one_at_a_time_finds_out_about_a_message() -> None:
    world = World()
    left(world)
    world.clock.advance(minutes=16)

    def stalls() -> None:  # the sweeper has claimed it, has asked, and is about to send
        when(world, "send", "before", kill)
        with pytest.raises(Killed):
            world.runtime().sweeper.sweep(plenty())

    when(world, "write", "before", stalls)
    queue = Fifo(world)
    queue.send([comment("c-1")])
    queue._invoke(queue._receive())
    assert world.channel.attempts == 0, "what was read before the claim is not claimed again"
    queue.work_off()
    assert len(world.channel.accepted) == 1


def test_the_sweeper_does_not_ask_right_after_a_lost_answer() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    world.clock.advance(hours=5)
    world.channel.faults = [lost()]
    with pytest.raises(Exception, match="answer was lost"):
        drafts(world).approve(drafts(world).waiting()[0].id, plenty())
    world.clock.advance(seconds=5)
    assert world.runtime().sweeper.sweep(plenty()).settled == 0
    world.clock.advance(seconds=30)
    assert world.runtime().sweeper.sweep(plenty()).settled == 1
    assert len(world.channel.accepted) == 1


def test_what_the_channel_keeps_refusing_becomes_a_draft_with_its_reason() -> None:
    world = World(max_attempts=2)
    world.channel.faults = [transient("429")] * 9
    queue = Fifo(world)
    queue.send([comment("c-1")])
    queue._invoke(queue._receive())
    swept = []
    for _ in range(3):
        world.clock.advance(minutes=16)
        swept.append(world.runtime().sweeper.sweep(plenty()))
    assert [one.drafted for one in swept] == [0, 1, 0]
    assert outcome(world, "c-1") == ("drafted", "failed: 429") or unsettled(world).hold == "failed: 429"
    assert [one.hold for one in drafts(world).waiting()] == ["failed: 429"]


def test_a_far_end_that_can_never_be_asked_is_given_up_to_a_person() -> None:
    world = World()
    world.channel.faults = [lost()]

    def deaf(message: Any, *, timeout_s: float) -> None:
        raise SendError(FailureClass.AMBIGUOUS, "timeout")

    world.channel.find_own_reply = deaf  # type: ignore[method-assign]
    deliver(world, comment("c-1"))
    for _ in range(40):
        world.clock.advance(minutes=20)
        world.runtime().sweeper.sweep(plenty())
    assert entries(world)["c-1"].state == "UNKNOWN"
    assert world.channel.attempts == 1


def test_a_message_that_breaks_the_sweeper_keeps_no_other_waiting() -> None:
    world = World()
    left(world)
    left(world, event=comment("c-2", author={"id": "bo"}))
    world.clock.advance(minutes=16)

    def broken() -> None:
        raise AttributeError("a fault of ours")

    when(world, "find", "before", broken)
    swept = world.runtime().sweeper.sweep(plenty())
    assert (swept.settled, swept.left) == (1, 1)


def test_a_long_list_is_read_a_hundred_at_a_time() -> None:
    world = World(mode="draft")
    for number in range(30):
        deliver(world, comment(f"c-{number}", author={"id": f"u-{number}"}))
    world.table.calls.clear()
    assert len(drafts(world).waiting()) == 30
    assert world.table.calls == ["query_state", "get_many"]


def test_what_stood_still_for_days_is_a_draft_and_no_late_reply() -> None:
    world = World(max_event_age_hours=48)
    left(world)
    world.clock.advance(days=4)
    deliver(world, comment("c-1"))
    assert outcome(world, "c-1") == ("drafted", "too_old") and world.channel.accepted == []


def test_a_refusal_that_stood_still_for_days_is_a_draft_too() -> None:
    world = World(max_event_age_hours=48)
    world.channel.faults = [transient()]
    queue = Fifo(world)
    queue.send([comment("c-1")])
    queue._invoke(queue._receive())
    world.clock.advance(days=4)
    queue.work_off()
    assert outcome(world, "c-1") == ("drafted", "too_old") and world.channel.accepted == []


# -- stops, deletions and erasures while something is on its way


@pytest.mark.parametrize(("act", "state"), [(_stop_all, "PLANNED"), (delete, "GONE")], ids=["kill switch", "deletion"])
@pytest.mark.parametrize("moment", ["before the claim", "while the far end is asked"])
def test_a_stop_after_a_crash_holds_what_has_not_arrived(act: Any, state: str, moment: str) -> None:
    world = World()
    left(world)
    world.clock.advance(minutes=16)
    if moment == "before the claim":
        act(world)
    else:
        when(world, "find", "after", lambda: act(world))
    world.runtime().sweeper.sweep(plenty())
    assert unsettled(world).state == state and world.channel.accepted == []
    assert world.runtime().memory.read(ana(world)).head.replies == 0


@pytest.mark.parametrize("act", [_stop_all, delete], ids=["kill switch", "deletion"])
def test_a_stop_after_a_crash_leaves_what_nobody_can_ask_about_to_a_person(act: Any) -> None:
    world = World()
    world.channel.can_read_back = False
    left(world, phase="after")
    act(world)
    world.clock.advance(minutes=16)
    world.runtime().sweeper.sweep(plenty())
    assert unsettled(world).state == "UNKNOWN" and world.channel.attempts == 1


@pytest.mark.parametrize(
    ("failure", "state"),
    [
        (FailureClass.TRANSIENT, "SENDING"),
        (FailureClass.AUTH, "UNKNOWN"),
        (FailureClass.POLICY, "UNKNOWN"),
        (FailureClass.GONE, "UNKNOWN"),
    ],
)
def test_a_refused_repetition_does_not_prove_that_the_first_never_arrived(failure: FailureClass, state: str) -> None:
    world = World()
    world.channel.can_read_back = False
    left(world, phase="after")
    world.clock.advance(minutes=16)
    world.channel.faults = [("before", SendError(failure, "4xx"))]
    world.runtime().sweeper.sweep(plenty())
    assert unsettled(world).state == state
    _stop_all(world)
    world.clock.advance(minutes=16)
    world.runtime().sweeper.sweep(plenty())
    assert unsettled(world).state == "UNKNOWN", "it has arrived: it is neither a draft nor gone"
    assert len(world.channel.accepted) == 1


def test_an_erasure_while_a_draft_is_released_wins() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    tombstone: list[bool] = []

    def tomb() -> None:  # the erasure has begun, and has not reached the draft yet
        when(world, "query", "before", kill)
        with pytest.raises(Killed):
            erased(world)
        world.hooked(nothing)
        tombstone.append(True)

    when(world, "transact", "before", tomb)
    with pytest.raises(Conflict):
        drafts(world).approve(short, plenty())
    assert tombstone and world.channel.accepted == []
    assert drafts(world).approve(short, plenty()).state == "GONE"
    head = world.table.get_many([head_key(ana(world))])[head_key(ana(world))]
    assert not {"first_seen", "last_activity", "replies"} & head.keys()


def test_an_erasure_while_something_is_sent_leaves_nothing_behind() -> None:
    world = World()
    world.model.script = [reply(THREE_PARTS)]
    when(world, "send", "after", lambda: erased(world))
    queue = deliver(world, comment("c-1"))
    assert history(world) == [] and entries(world) == {}
    assert world.channel.attempts == 1 and queue.dead == [] and world.dead.sent == []


def test_a_touched_tombstone_is_still_a_head() -> None:
    now = START
    item = {"window_until": int((now + timedelta(days=1)).timestamp()), "erased_at": "2026-11-30T09:00:00.000000Z"}
    head = Head.read(item, now)
    assert head.alive and head.first_seen is None and head.replies == 0


def test_an_erasure_right_after_the_send_is_not_undone_by_noting_it() -> None:
    world = World()
    when(world, "send", "after", lambda: erased(world))
    deliver(world, comment("c-1"))
    partition = ana(world).partition
    assert [item["sk"] for item in world.table.all_items() if item["pk"] == partition] == ["head"]


def test_a_stop_outlives_the_window_and_an_erasure() -> None:
    world = World(max_event_age_hours=10_000)
    deliver(world, comment("c-1"))
    SwitchBoard(world.table, world.settings.space).customer(ana(world), on=False, now=world.clock.now())
    erased(world)
    world.clock.advance(days=120)
    world.table.sweep(int(world.clock.now().timestamp()))
    deliver(world, comment("c-2", occurred_at=world.clock.now().isoformat()))
    assert outcome(world, "c-2") == ("drafted", "switch_customer")
    SwitchBoard(world.table, world.settings.space).customer(ana(world), on=True, now=world.clock.now())
    world.clock.advance(days=120)
    world.table.sweep(int(world.clock.now().timestamp()))
    assert all(item["kind"] != "head" for item in world.table.all_items())


def test_a_stop_set_while_the_tombstone_is_written_stays_too() -> None:
    world = World()
    deliver(world, comment("c-1"))
    board = SwitchBoard(world.table, world.settings.space)
    when(world, "write", "before", lambda: board.customer(ana(world), on=False, now=world.clock.now()))
    erased(world)
    head = world.table.get_many([head_key(ana(world))])[head_key(ana(world))]
    assert "stopped_at" in head and "erased_at" in head and "expires_at" not in head


def test_a_tombstone_without_a_stop_ends_by_itself() -> None:
    world = World()
    deliver(world, comment("c-1"))
    erased(world)
    world.clock.advance(days=91)
    world.table.sweep(int(world.clock.now().timestamp()))
    assert all(item["kind"] != "head" for item in world.table.all_items())


def test_a_persons_answer_from_before_the_erasure_brings_nothing_back() -> None:
    world = World()
    deliver(world, comment("c-1"))
    world.clock.advance(minutes=5)
    erased(world)
    answer = comment("h-1", "Call me!", author={"id": "club"}, thread={"post_id": "p-1", "parent_id": "c-1"})
    queue = deliver(world, answer)
    assert outcome(world, "h-1") == ("skipped", "own_comment")
    assert history(world) == [] and world.dead.sent == [] and queue.dead == []


@pytest.mark.parametrize("attempted", ["lost", "refused"])
def test_a_person_who_answers_while_a_reply_waits_keeps_it_a_draft(attempted: str) -> None:
    world = World()
    if attempted == "refused":
        world.channel.faults = [transient()]
        queue = Fifo(world)
        queue.send([comment("c-1")])
        queue._invoke(queue._receive())
    else:
        left(world)
    _human(world)
    world.clock.advance(minutes=16)
    world.runtime().sweeper.sweep(plenty())
    assert outcome(world, "c-1") == ("drafted", "human_answered") and world.channel.accepted == []


def test_a_far_end_that_cannot_be_asked_now_is_asked_again_and_never_sent_to_blindly() -> None:
    world = World()
    world.channel.is_idempotent = False
    left(world, phase="after")
    world.clock.advance(minutes=16)

    def silent() -> None:
        raise SendError(FailureClass.TRANSIENT, "503")

    when(world, "find", "before", silent)
    assert world.runtime().sweeper.sweep(plenty()).left == 1
    assert world.runtime().sweeper.sweep(plenty()).settled == 1, "its lease is given back"
    assert world.channel.attempts == 1 and unsettled(world).state == "SENT"


def test_a_takeover_outlives_the_threads_own_retention() -> None:
    world = World(max_event_age_hours=10_000)
    thread = {"post_id": "p-1", "parent_id": "c-1"}
    deliver(world, comment("c-1"), comment("h-1", "I call you.", author={"id": "club"}, thread=thread))
    world.clock.advance(days=50)
    world.table.sweep(int(world.clock.now().timestamp()))
    deliver(world, comment("c-2", thread=thread, occurred_at=world.clock.now().isoformat()))
    assert outcome(world, "c-2") == ("drafted", "human_answered")


def test_what_has_expired_is_no_draft_though_it_still_lies_there() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    world.clock.advance(days=31)
    assert drafts(world).waiting() == []
    with pytest.raises(NotFound):
        drafts(world).approve(short, plenty())


def test_the_sweeper_begins_nothing_without_time() -> None:
    world = World()
    left(world)
    world.clock.advance(minutes=16)
    assert world.runtime().sweeper.sweep(Deadline(lambda: 9_000)).left == 1
    assert world.channel.attempts == 0


@pytest.mark.parametrize("left_ms", [14_000, 22_000])
def test_without_time_for_the_model_the_message_comes_back_uncounted(left_ms: int) -> None:
    world = World()
    queue = Fifo(world, remaining_ms=lambda: left_ms)
    queue.send([comment("c-1")])
    for _ in range(10):
        queue._invoke(queue._receive())
        world.clock.advance(minutes=19)
    assert len(queue.lying) == 1 and world.dead.sent == [] and world.model.requests == []
    queue.remaining_ms = lambda: 180_000
    queue.work_off()
    assert len(world.channel.accepted) == 1


def test_a_dead_letter_queue_that_takes_nothing_loses_nothing() -> None:
    world = World(max_event_age_hours=10_000)
    world.model.script = [RetryableError("the model is overloaded (529)")] * 8
    refusals = iter([RetryableError("the queue did not take it"), None])
    send = world.dead.send

    def refuse(body: str, **more: Any) -> None:
        refusal = next(refusals, None)
        if refusal is not None:
            raise refusal
        send(body, **more)

    world.dead.send = refuse  # type: ignore[method-assign]
    deliver(world, comment("c-1"))
    assert [one["attributes"]["reason"] for one in world.dead.sent] == ["the model is overloaded (529)"]


def test_a_table_that_is_down_costs_a_delay() -> None:
    world = World()
    down = [True]

    def hook(target: str, phase: str) -> None:
        if down[0] and phase == "before" and target in {"get_many", "query", "write", "transact"}:
            raise RetryableError("DynamoDB could not be reached")

    world.hooked(hook)
    queue = Fifo(world)
    queue.send([comment("c-1")])
    for _ in range(9):
        queue._invoke(queue._receive())
        world.clock.advance(minutes=19)
    down[0] = False
    queue.work_off()
    assert len(world.channel.accepted) == 1 and world.dead.sent == []


# -- people


def test_a_draft_edited_while_another_approves_it_is_not_sent_in_its_old_words() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    when(world, "transact", "before", lambda: drafts(world).edit(short, "Better words."))
    with pytest.raises(Conflict):
        drafts(world).approve(short, plenty())
    assert world.channel.accepted == []
    drafts(world).approve(short, plenty())
    assert [message.text for message in world.channel.accepted] == ["Better words."]


def test_a_draft_approved_by_two_at_once_is_sent_once() -> None:
    world = World(mode="draft")
    world.channel.is_idempotent = False
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    when(world, "transact", "before", lambda: drafts(world).approve(short, plenty()))
    with pytest.raises(Conflict):
        drafts(world).approve(short, plenty())
    assert world.channel.attempts == 1


@pytest.mark.parametrize(
    ("act", "state"), [*((stop, "PLANNED") for stop, reason in STOPS if reason != "human_answered"), (delete, "GONE")]
)
def test_a_stop_set_while_a_draft_is_approved_wins(act: Any, state: str) -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    short = drafts(world).waiting()[0].id
    when(world, "transact", "before", lambda: act(world))
    with pytest.raises(Conflict):
        drafts(world).approve(short, plenty())
    assert unsettled(world).state == state and world.channel.accepted == []


def test_a_redelivery_leaves_an_edited_draft_alone() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    drafts(world).edit(drafts(world).waiting()[0].id, "Better words.")
    deliver(world, comment("c-1"))
    assert [one.message.text for one in drafts(world).waiting()] == ["Better words."]
    assert len(world.model.requests) == 1 and world.channel.accepted == []


def test_words_that_no_cut_makes_fit_are_refused_as_an_edit() -> None:
    world = World(mode="draft")
    deliver(world, comment("c-1"))
    with pytest.raises(PermanentError, match="longer than the channel allows"):
        drafts(world).edit(drafts(world).waiting()[0].id, "a" + "\u0301" * 3000)


@pytest.mark.parametrize("sent", [True, False])
def test_after_a_person_has_settled_it_a_duplicate_changes_nothing(sent: bool) -> None:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = False
    world.channel.faults = [lost()]
    deliver(world, comment("c-1"))
    drafts(world).settle(unsettled(world).id, sent=sent)
    deliver(world, comment("c-1"))
    assert unsettled(world).state == ("SENT" if sent else "PLANNED")
    assert world.channel.attempts == 1 and len(world.model.requests) == 1


def test_whoever_learns_that_an_unknown_one_was_sent_may_say_so() -> None:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = False

    def slow() -> None:
        world.clock.advance(minutes=20)
        world.runtime().sweeper.sweep(plenty())
        assert unsettled(world).state == "UNKNOWN"

    when(world, "send", "after", slow)
    deliver(world, comment("c-1"))
    assert unsettled(world).state == "SENT"


# -- replies of several parts


def test_a_reply_over_the_channels_limit_goes_out_whole_in_parts_under_keys_of_their_own() -> None:
    world = World()
    world.model.script = [reply(THREE_PARTS)]
    deliver(world, comment("c-1"))
    sent = world.channel.accepted
    assert len(sent) == len({one.idempotency_key for one in sent}) > 1
    assert " ".join(one.text for one in sent) == THREE_PARTS
    assert [turn.content for turn in world.runtime().memory.read(ana(world)).turns][-1] == THREE_PARTS


def test_a_refusal_between_parts_repeats_none() -> None:
    world = World()
    world.channel.is_idempotent = False
    world.model.script = [reply(THREE_PARTS)]
    when(world, "send", "after", lambda: world.channel.faults.append(transient()))
    deliver(world, comment("c-1"))
    assert " ".join(one.text for one in world.channel.accepted) == THREE_PARTS


def test_new_words_after_half_of_the_old_ones_go_out_whole() -> None:
    world = World()
    world.channel.can_read_back = world.channel.is_idempotent = False
    world.model.script = [reply(THREE_PARTS)]
    when(world, "send", "after", lambda: world.channel.faults.append(lost()))
    deliver(world, comment("c-1"))
    first = len(world.channel.accepted)
    entry = unsettled(world)
    assert entry.state == "UNKNOWN" and entry.sent_parts == 1
    drafts(world).settle(entry.id, sent=False)
    better = THREE_PARTS.replace("Yes,", "In short,")
    drafts(world).edit(entry.id, better)
    assert drafts(world).approve(entry.id, plenty()).state == "SENT"
    assert " ".join(one.text for one in world.channel.accepted[first:]) == better
    keys = [one.idempotency_key for one in world.channel.accepted]
    assert not set(keys[first:]) & set(keys[:first]), "the far end would take them for the old parts"


# -- messages and batches


def _batch(*comments: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "onthoud.comments.v1", "comments": list(comments)}


def test_the_third_comment_of_a_batch_that_fails_holds_up_its_author_alone() -> None:
    world = World()
    names = ["ana", "bo", "cem", "dee", "cem"]
    events = [comment(f"c-{n}", author={"id": name}, occurred_at=at(n)) for n, name in enumerate(names)]
    queue = Fifo(world)
    queue.send([_batch(*events)])
    answers = iter([None, None, transient(), None])
    send = world.channel.send

    def third(message: Any, *, timeout_s: float) -> Any:
        fault = next(answers, None)
        world.channel.faults = [fault] if fault else []
        return send(message, timeout_s=timeout_s)

    world.channel.send = third  # type: ignore[method-assign]
    queue._invoke(queue._receive())
    assert [one.in_reply_to for one in world.channel.accepted] == ["c-0", "c-1", "c-3"]
    queue.work_off()
    assert [one.in_reply_to for one in world.channel.accepted] == ["c-0", "c-1", "c-3", "c-2", "c-4"]


def test_records_without_an_id_are_told_apart_and_harm_no_other() -> None:
    world = World()
    bad = [{"body": "not json 1", "attributes": {}}, {"body": "not json 2"}]
    good = {"messageId": "m-1", "body": '{"schema": "onthoud.comment.v1"}', "attributes": {}}
    assert invoke(world, {"Records": [*bad, good]}) == {"batchItemFailures": []}
    quarantined = [item for item in world.table.all_items() if item["kind"] == "quarantine"]
    assert len(quarantined) == 3


def test_a_record_without_an_id_that_fails_returns_the_batch_when_the_others_are_done() -> None:
    import json

    world = World()
    world.channel.faults = [("before", SendError(FailureClass.POLICY, "403"))]
    nameless = {"body": json.dumps(comment("c-1", author={"id": "bo"})), "attributes": {}}
    named = {"messageId": "m-1", "body": json.dumps(comment("c-2")), "attributes": {"MessageGroupId": "g"}}
    when(world, "send", "after", lambda: world.channel.faults.append(transient()))
    world.channel.faults = []
    with pytest.raises(Exception, match="refused for now"):
        invoke(world, {"Records": [nameless, named]})
    assert [one.in_reply_to for one in world.channel.accepted] == ["c-2"]


def test_a_window_of_a_hundred_turns_is_renewed_within_one_transaction() -> None:
    world = World(window_turns=100)
    deliver(world, *(comment(f"c-{n:02}", occurred_at=at(n)) for n in range(60)))
    world.clock.advance(days=1)
    deliver(world, comment("c-99", occurred_at=world.clock.now().isoformat()))
    assert outcome(world, "c-99")[0] == "replied"
    assert MOST_RENEWED + 10 < 100


def test_the_same_id_in_two_accounts_and_channels_is_four_comments() -> None:
    world = World()
    places = [(channel, account) for channel in ("instagram", "youtube") for account in ("club", "a#b")]
    for channel, account in places:
        deliver(world, comment("c#1", channel=channel, account_id=account))
        deliver(world, comment("c#1", channel=channel, account_id=account))
    sent = [(one.channel, one.account_id) for one in world.channel.accepted]
    assert sent == places and len({one.idempotency_key for one in world.channel.accepted}) == 4
