"""The social reply bot: what happens to the comments of one queue message."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from onthoud.deadline import Deadline
from onthoud.delivery.decisions import Decision
from onthoud.delivery.desk import ROUNDS, Case, Closing
from onthoud.delivery.ledger import EventRef, identity, place
from onthoud.delivery.outbox import Entry, State
from onthoud.delivery.quarantine import Suspect, customer_of, id_of
from onthoud.delivery.threads import fingerprint
from onthoud.delivery.worker import Message, Worker
from onthoud.errors import Conflict, NotFound, OutOfTime, PermanentError, RetryableError
from onthoud.events.comment import Comment, Unreadable, comments_of
from onthoud.events.envelope import Unwrapped
from onthoud.memory.working import Conversation, Turn
from onthoud.observability import count, logger
from onthoud.runtime import Runtime
from onthoud.scope import Scope
from onthoud.text.graphemes import cut
from onthoud.text.markup import plain, storable
from social_reply import changes
from social_reply.created import BOT, Closer, as_turn
from social_reply.library import Library
from social_reply.skip import Skip, is_own, skip
from social_reply.writing import Writer, Written

KNOWLEDGE_SHARE = 0.6
"""The most that documents may take of the memory's token budget; the window gets the rest."""

CommentId = tuple[str, str, str]
REDACTION_ROOM = 2048
"""Bytes beyond a turn's limit that are still redacted, so that nothing half of a number is left at its end."""


def comment_id(comment: Comment) -> CommentId:
    """Return what names a comment: ids are unique within (channel, account)."""
    return (comment.channel, comment.account_id, comment.comment_id)


@dataclass(slots=True)
class Run:
    """One message being worked off: the windows in hand, and the comments that a later event of the batch deletes."""

    message: Message
    deadline: Deadline
    deleted: Collection[CommentId] = ()
    conversations: dict[Scope, Conversation] = field(default_factory=dict)


class SocialReply:
    """Answers comments."""

    def __init__(self, runtime: Runtime, worker: Worker) -> None:
        self._runtime = runtime
        self._worker = worker
        self._desk = runtime.desk
        self._settings = runtime.settings
        self._writer = Writer(runtime.model, runtime.prices, runtime.settings, runtime.clock)
        self._library = Library(runtime.knowledge)

    def process(self, unwrapped: Unwrapped, run: Run) -> None:
        """Work off the comments of one message, in order; one that cannot be read harms no other.

        One that fails for now lets its author's later ones wait, and nobody else's.

        Raises:
            PermanentError: the message holds no comments.
            RetryableError: a comment cannot be brought to an end now; what does not wait for it is done.
        """
        comments = comments_of(unwrapped.event)
        run.deleted = {*run.deleted, *deletions([unwrapped])}
        first: RetryableError | Conflict | None = None
        waiting: set[tuple[str, str, str | None]] = set()
        for position, comment in enumerate(comments):
            if isinstance(comment, Unreadable):
                self._isolate(run, comment.event, comment.reason, position)
                continue
            who = (comment.channel, comment.account_id, comment.author.id if comment.author else None)
            if who in waiting:
                continue
            try:
                run.deadline.require(1.0)
                self._one(comment, run)
            except PermanentError as error:
                self._isolate(run, comment.model_dump(mode="json", by_alias=True), str(error), position)
            except OutOfTime as error:
                raise first or error from None
            except (RetryableError, Conflict) as error:
                first = first or error
                waiting.add(who)
        if first is not None:
            raise first

    def _one(self, comment: Comment, run: Run) -> None:
        space = self._settings.space
        ref = EventRef(space, "comment", comment.channel, comment.account_id, comment.comment_id)
        scope = comment.scope(space) if comment.author else None
        written: Written | None = None
        for _ in range(ROUNDS):
            case = self._desk.open(
                ref,
                scope=scope,
                occurred_at=comment.occurred_at,
                thread=comment.thread_partition(space),
                extra=self._library.keys,
            )
            name = identity(comment.verb, comment.text_hash)
            if name in case.record.decisions and not self._is_edited_back(comment, case):
                self._again(case, run)
                return
            try:
                if comment.verb == "deleted":
                    changes.delete(self._desk, self._runtime.outbox, case, comment, name, BOT)
                    run.conversations.clear()
                elif is_own(comment, self._settings):
                    self._own(comment, case, name)
                elif changes.is_edit(comment, case.record):
                    changes.edit(self._desk, case, comment, self._text(comment), name, BOT)
                    run.conversations.clear()
                else:
                    written = self._created(comment, case, name, run, written)
                return
            except Lost as lost:
                # Somebody else wrote meanwhile, or a switch was set: read all again and decide again. What the model
                # wrote is kept, so that it is paid once.
                written = lost.written
                run.conversations.clear()
            except Conflict:
                run.conversations.clear()
        raise Conflict(f"comment {comment.comment_id} kept changing while it was decided")

    # -- the ways a comment can go -----------------------------------------------------------------------------------

    def _created(self, comment: Comment, case: Case, name: str, run: Run, written: Written | None) -> Written | None:
        scope = comment.scope(self._settings.space)
        closer = Closer(self._desk, case, comment, self._text(comment), name, scope)
        reason = self._skip(comment, case, run)
        if reason is not None and not reason.remember:
            self._desk.close(case, closer.skipped(reason, None)[0])
            count("Skipped")
            return None
        conversation = self._conversation(run, scope, case)
        hold = case.situation(self._settings, self._desk.clock.now()).hold()
        if reason is not None:
            closing, turns = closer.skipped(reason, conversation)
        elif hold is not None and written is None:
            closing, turns = closer.held(hold, conversation)
        else:
            if written is None:
                written = self._write(comment, case, conversation, run.deadline)
            closing, turns = closer.decided(written, hold, conversation)
        try:
            self._desk.close(case, closing)
        except Conflict as conflict:
            raise Lost(written) from conflict
        self._after(closing, turns, conversation, run)
        return written

    def _write(self, comment: Comment, case: Case, conversation: Conversation, deadline: Deadline) -> Written:
        text = self._answered_text(comment, case)
        name = comment.author.name if comment.author else None
        budget = int(self._settings.memory_tokens * KNOWLEDGE_SHARE)
        looked = self._library.look(text, case.items, name=name, budget=budget)
        return self._writer.write(comment, text, conversation, deadline, looked)

    def _own(self, comment: Comment, case: Case, name: str) -> None:
        """Handle our own account's comment: an echo of the bot's words, or a person who has taken over."""
        thread = case.thread
        text = self._text(comment)
        # As they came, decoded, and redacted: the bot's own words may hold an address that redaction would take out.
        forms = (comment.words, plain(comment.words, comment.channel), text)
        if thread is None or any(map(thread.is_echo, forms)) or self._is_reply_to_parent(comment, forms):
            self._desk.close(case, Closing(name, Decision(BOT, "skipped", reason="echo", verb=comment.verb)))
            return
        decision = Decision(BOT, "skipped", reason="own_comment", verb=comment.verb)
        now = self._desk.clock.now()
        lasting = {} if thread.human else {"human_at": now.isoformat()}
        customer = Scope.of_partition(thread.customer) if thread.customer else None
        if customer is None or not text.strip() or case.record.get("deleted_at"):
            self._desk.close(case, Closing(name, decision, thread=lasting))
            return
        # The words are the account's, so they stand in the window of the customer who was answered.
        conversation = self._desk.memory.read(customer)
        if conversation.head.refuses(comment.occurred_at):
            self._desk.close(case, Closing(name, decision, thread=lasting))  # written before the customer was erased
            return
        new = changes.words(self._desk, case, comment, text, scope=customer, role="assistant")
        theirs = Case(
            case.ref,
            customer,
            case.record,
            conversation.head,
            case.switches,
            thread,
            case.occurred_at,
            case.items,
            case.opened,
        )
        closing = Closing(
            name, decision, writes=new.writes, conversation=conversation, thread=lasting, record=new.record
        )
        self._desk.close(theirs, closing)

    def _is_reply_to_parent(self, comment: Comment, forms: Collection[str]) -> bool:
        """Say whether these are the bot's words to the comment above them.

        Some platforms name the comment answered as the parent, and not the head of its thread.
        """
        parent = comment.thread.parent_id
        if parent is None:
            return False
        key = EventRef(self._settings.space, "comment", comment.channel, comment.account_id, parent).key
        item = self._desk.table.get_many([key]).get(key)
        reply = place(item, "reply") if item else None
        if reply is None:
            return False
        try:
            parts = self._runtime.outbox.read(reply, self._desk.clock.now()).parts
        except NotFound:
            return False
        return not {fingerprint(form) for form in forms}.isdisjoint(map(fingerprint, parts))

    def _again(self, case: Case, run: Run) -> None:
        """Handle an event that was decided before: a duplicate, or one whose reply a crash left unfinished."""
        count("Duplicate")
        if case.record.reply is None:
            return
        try:
            entry = self._runtime.outbox.read(case.record.reply, self._desk.clock.now())
        except NotFound:
            return  # long over, or erased
        if entry.queue in {"sending", "retry"}:
            logger.info("carrying on", entry=entry.id, state=str(entry.state))
            self._runtime.sender.carry_on(entry, run.deadline)
            run.conversations.clear()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _skip(self, comment: Comment, case: Case, run: Run) -> Skip | None:
        if case.record.get("deleted_at") is not None or comment_id(comment) in run.deleted:
            return Skip("deleted", remember=False)
        return skip(comment, plain(comment.words, comment.channel), case, self._settings)

    def _is_edited_back(self, comment: Comment, case: Case) -> bool:
        """Say whether a text that was there before has come back by a later edit."""
        return (
            comment.verb == "edited"
            and comment.text_hash != case.record.get("text_hash")
            and changes.is_newer(comment, case.record)
        )

    def _text(self, comment: Comment) -> str:
        """Return the words as they are remembered and shown to the model: decoded, redacted, cut."""
        decoded = storable(plain(comment.words, comment.channel))
        most = self._settings.turn_bytes
        # Cut roughly first, with room for what redaction shortens: finders are slow on a quarter of a megabyte.
        return cut(self._runtime.redactor.redact(cut(decoded, most + REDACTION_ROOM)).text, most)

    def _answered_text(self, comment: Comment, case: Case) -> str:
        """Return the text to answer: an edit may have arrived before the creation."""
        if changes.is_newer(comment, case.record):
            return self._text(comment)
        scope = comment.scope(self._settings.space)
        return changes.words(self._desk, case, comment, self._text(comment), scope=scope).turn.content

    def _conversation(self, run: Run, scope: Scope, case: Case) -> Conversation:
        """Return the customer's window, read once per customer and message."""
        known = run.conversations.get(scope)
        if known is None:
            known = self._desk.memory.conversation(scope, case.head)
            run.conversations[scope] = known
        known.head = case.head
        return known

    def _after(self, closing: Closing, turns: list[Turn], conversation: Conversation, run: Run) -> None:
        """Send, and bring the window in hand up to date for the next comment of the batch."""
        window = self._desk.memory.window
        conversation.items.clear()
        for turn in turns:
            conversation.add(turn, window)
        count(closing.decision.outcome.capitalize())
        if closing.decision.reason == "loop_guard":
            count("LoopGuardTripped")
        if closing.entry is None or closing.entry.state is not State.SENDING:
            return
        sent: Entry = self._runtime.sender.deliver(closing.entry, run.deadline)
        if sent.state in {State.SENT, State.UNKNOWN}:
            conversation.add(as_turn(sent, turns[0]), window)

    def _isolate(self, run: Run, event: Any, reason: str, position: int) -> None:
        """Put one comment of a message into quarantine, with what can be read of whose it is."""
        self._worker.isolate(
            Suspect(
                self._worker.queue,
                BOT,
                run.message.message_id,
                json.dumps(event, ensure_ascii=False, default=str),
                reason,
                position=position,
                event_id=id_of(event.get("comment_id")) if isinstance(event, dict) else "",
                customer=customer_of(event, self._settings.space, "author"),
            )
        )


class Lost(Conflict):
    """A decision that somebody else's write has overtaken; what the model wrote for it is kept."""

    def __init__(self, written: Written | None) -> None:
        super().__init__("a decision was overtaken")
        self.written = written


def deletions(events: Iterable[Unwrapped]) -> set[CommentId]:
    """Return the comments that these events delete: a reply to them would come too late."""
    found: set[CommentId] = set()
    for unwrapped in events:
        try:
            comments = comments_of(unwrapped.event)
        except PermanentError:
            continue  # it gets its own turn, and its reason
        found |= {comment_id(one) for one in comments if isinstance(one, Comment) and one.verb == "deleted"}
    return found
