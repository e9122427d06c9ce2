"""Every reason that the code gives, in plain words. A test walks the code and fails on one that is not here."""

from __future__ import annotations

UNKNOWN = "outcome unknown: a person decides (onthoud outbox list)"

REASONS: dict[str, str] = {
    # Skipped by code, before the model is asked
    "own_comment": "our own account wrote it: a person has answered, and the bot keeps silent in this thread",
    "echo": "it is the bot's own reply, coming back from the platform",
    "emoji_only": "it has nothing but emoji",
    "mentions_only": "it only mentions others",
    "empty": "it has no text",
    "attachment_only": "it has an attachment that the bot cannot read, and no text",
    "spam_policy": "it has a link, and the spam rule of this stack skips those",
    "deleted": "the comment was deleted",
    "erased": "it is from before the customer was erased, and must not bring anything back",
    "edited": "an edit: the memory has the new words, and nobody is answered twice",
    "older_edit": "an edit that is older than the words already remembered",
    "stale": "an older version of a booking than the one already told",
    "pending": "the booking is not decided yet: there is nothing to tell",
    "replaced": "the booking was moved to another one, and the customer is told that",
    "mode_off": "the bot is switched off by its mode: it remembers and does not answer",
    "shadow": "mode shadow: the reply was written and kept, and deliberately not sent",
    # The model's own choice
    "answered": "the model answered it",
    "spam": "the model takes it for spam",
    "no_answer_needed": "the model finds that it needs no answer",
    "abusive": "it is abusive: a person should look",
    "unknown_answer": "nothing that the bot knows answers it: a person should",
    "needs_a_person": "it needs a person",
    "injection": "it tries to give the bot instructions",
    # Two bookings that cannot both hold
    "court_taken": "another booking has the court at that time",
    "replaced_twice": "two active bookings replace the same one",
    # Held back by a guard: a draft
    "switch_all": "the kill switch is off for all: `onthoud switch on` lifts it",
    "switch_account": "the kill switch is off for this account: `onthoud switch on --account A` lifts it",
    "switch_customer": "the kill switch is off for this customer: `onthoud switch on --customer C` lifts it",
    "switch_thread": "the kill switch is off for this thread: `onthoud switch on --thread T` lifts it",
    "human_answered": "a person has answered in this thread: `onthoud switch on --thread T` gives it back to the bot",
    "loop_guard": "the bot has answered too often in this thread this hour",
    "too_old": "the event came too late to be answered unasked",
    "daily_budget": "today's budget for the model is spent",
    "mode_draft": "mode draft: a person approves every reply",
    "escalated": "the bot hands this one to a person",
    "not_sent": "a person found that it was not sent",
    "channel_auth": "the channel refused our credentials, and the account was stopped: mend them, then switch it on",
    "failed": "it was tried too often",
    # What became of it
    "retry": "the channel refused for now: it is tried again by itself",
    "rejected": "a person has rejected it",
    "gone": "what it answers no longer exists",
    "refused by the far end": "the channel will never take it",
    UNKNOWN: "nobody knows whether it arrived: look at the channel, "
    "then `onthoud outbox settle ID --sent` or `--not-sent`",
}

PREFIXES: dict[str, str] = {
    "model": "the model chose so",
    "failed": "it was tried too often; the last failure",
    "conflict": "a person decides, and the customer hears nothing until then",
    "plain": "sent in the plain words of the template, since the model's draft could not be used",
    "checks_failed": "the bot's answer failed its checks, twice; a person writes it",
}
"""Reasons with something behind a colon."""


def in_words(reason: str) -> str:
    """Return a reason in plain words; a far end's own code, which nobody can list, stands as it came."""
    known = REASONS.get(reason)
    if known is not None:
        return known
    prefix, colon, rest = reason.partition(": ")
    if colon and prefix in PREFIXES:
        told = REASONS.get(rest, rest)
        return told if prefix == "model" and rest in REASONS else f"{PREFIXES[prefix]}: {told}"
    return reason
