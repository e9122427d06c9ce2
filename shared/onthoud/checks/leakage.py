"""The prompt stays inside: no talk of instructions, no tags of ours, no words that are private."""

from __future__ import annotations

import re

from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.phrases import phrases
from onthoud.text.markup import comparable

NAME = "leakage"
WORDS_IN_A_ROW = 8
"""As many words of the private text in a row are a quotation."""
CHARACTERS_IN_A_ROW = 14
"""The same for Chinese, which has no blanks."""

_TALK = phrases(
    r"(?:system|developer|initial|hidden) (?:prompt|message|instructions?)|my (?:system )?"
    r"(?:instructions|guidelines|prompt) (?:say|says|state|tell|are|is|forbid|require)",
    r"I(?:'m| am|'ve been| was| have been) (?:instructed|told|programmed|prompted|trained) (?:to|not)"
    r"|as an? (?:ai|artificial|large)(?: \w+)? (?:model|assistant|system|intelligence)",
    r"(?:large )?language model|ignore (?:all )?(?:previous|prior|above) (?:instructions|rules)"
    r"|according to my (?:instructions|rules|guidelines|prompt)",
    r"mijn (?:systeem)?(?:instructies|prompt|richtlijnen) (?:zegt|zeggen|zijn|luiden|verbieden)"
    r"|systeemprompt|taalmodel|volgens mijn (?:instructies|richtlijnen)|als (?:een )?ai(?:-model|-assistent)?",
    r"(?:mine|min) (?:instruktioner|instrukser|prompt|retningslinjer) (?:siger|er|lyder|forbyder)"
    r"|systemprompt(?:en)?|sprogmodel|ifølge mine (?:instruktioner|retningslinjer)|som (?:en )?ai(?:-model"
    r"|-assistent)?",
    r"meine (?:system)?(?:anweisungen|richtlinien|vorgaben|anweisung) (?:sagen|lauten|sind|verbieten)"
    r"|system-?prompt|sprachmodell|laut meinen (?:anweisungen|vorgaben|richtlinien)|als (?:eine? )?ki(?:-modell"
    r"|-assistent)?",
    chinese="系统提示|提示词|我的指令|我的指示|语言模型|作为(?:一个|一名)?(?:AI|人工智能)|我被(?:要求|指示|设定)",
)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on talk of the prompt, and on a run of words from `Grounds.private_text`."""
    failures = []
    if _TALK.search(reply.text):
        failures.append(Failure(NAME, "talks-of-instructions"))
    if _quotes(comparable(reply.text), comparable(grounds.private_text)):
        failures.append(Failure(NAME, "quotes-private-text"))
    return failures


def _quotes(text: str, private: str) -> bool:
    if not private:
        return False
    words = re.findall(r"\w+", text)
    ours = " ".join(re.findall(r"\w+", private))
    runs = (" ".join(words[start : start + WORDS_IN_A_ROW]) for start in range(len(words) - WORDS_IN_A_ROW + 1))
    if any(f" {run} " in f" {ours} " for run in runs):
        return True
    chinese = "".join(re.findall(r"[\u3400-\u9fff]", text))
    theirs = "".join(re.findall(r"[\u3400-\u9fff]", private))
    starts = range(len(chinese) - CHARACTERS_IN_A_ROW + 1)
    return any(chinese[start : start + CHARACTERS_IN_A_ROW] in theirs for start in starts)
