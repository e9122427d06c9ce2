"""Nobody is introduced twice to somebody who was answered before."""

from __future__ import annotations

from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply
from onthoud.checks.phrases import phrases
from onthoud.text.markup import visible

NAME = "introduction"

_ROLE = r"(?:assistant|bot|chatbot|helper|agent|assistent\w*|helfer\w*|hjælper|medarbejder|medewerker|mitarbeiter\w*)"
_NAME = r"(?-i:[A-ZÆØÅÄÖÜ])[\w’-]+"
_ARTICLE = (
    r"(?:the|an?|your|our|de|het|een|je|jouw|uw|onze|der|die|das|dein\w*|ihr\w*|eine?|den|det|en|et|din|jeres|vores"
    r"|\w{3,}(?:ens|'s))"
)
# "I'm Sam, the club's assistant", "I'm Onthoud Club's assistant"; not "I'm sure that an assistant will help".
_WHO = rf"(?:{_NAME}, )?(?:{_ARTICLE} (?:[^\s,.!?]+ ){{0,2}}?|(?:{_NAME}(?:'s)? ){{1,3}}(?:[\w-]+ )?)?"
_INTRODUCTION = phrases(
    rf"(?:I'm|I am|this is) {_WHO}[\w-]*{_ROLE}",
    rf"it's {_NAME}, (?:the|your) (?:[^\s,.!?]+ ){{0,2}}?{_ROLE}",
    r"my name(?:'s| is)|let me introduce|allow me to introduce|(?:nice|pleased|great|lovely|good) to meet you",
    r"(?:this is|you're (?:talking|chatting) (?:to|with)|you are (?:talking|chatting) (?:to"
    r"|with)) the (?:[\w-]+ ){0,3}(?:team|assistant|bot)",
    rf"(?:ik ben|je spreekt met|u spreekt met|dit is) {_WHO}[\w-]*{_ROLE}",
    r"mijn naam is|ik heet|laat (?:me|mij) (?:me|mij|mezelf|mijzelf) (?:even )?voorstellen|(?:leuk|aangenaam"
    r"|fijn)(?: om)?(?: kennis)? (?:met je |met u )?(?:kennis )?te maken|aangenaam kennis te maken"
    r"|leuk je te (?:leren kennen|ontmoeten)",
    rf"(?:jeg er|du taler med|dette er|det er) {_WHO}[\w-]*{_ROLE}",
    r"mit navn er|jeg hedder|lad mig (?:kort )?præsentere mig|(?:rart|dejligt|hyggeligt) at (?:møde"
    r"|lære) (?:dig|jer)(?: at kende)?",
    rf"(?:ich bin|hier ist|hier spricht|sie sprechen mit|du sprichst mit) {_WHO}[\w-]*{_ROLE}",
    r"mein name ist|ich heiße|ich heisse|darf ich mich (?:kurz )?vorstellen|ich stelle mich (?:kurz )?vor"
    r"|(?:schön|freut mich),? (?:dich|sie|euch) kennen ?zu ?lernen",
    r"hier ist (?:das|dein|euer|ihr) (?:[\w-]+[ -]){0,3}team",
    rf"ik ben {_NAME} van (?:het|de)|I(?:'m| am) {_NAME},? from (?:the|team|customer)|jeg er {_NAME} fra",
    rf"ich bin {_NAME} (?:vom|aus dem) (?:team|kunden\w*|service)",
    chinese="我是[^，。！？,.!?说指]{0,16}(?:助手|助理|客服|机器人|小助手|小编)|我叫|我的名字|自我介绍|很高兴(?:认识|结识)|这里是[^，。！？]{0,12}(?:客服|助手|助理)",
)
_ASKED = phrases(
    r"who (?:are|is|am i) (?:you|this|talking|speaking|chatting)|who('s| is) (?:this|that|answering)"
    r"|what's your name|what is your name",
    r"(?:are|r) (?:you|u) (?:a |an |even )?(?:real|human|bot|robot|ai|person|machine|chatbot)|is this (?:a "
    r"|an )?(?:bot|robot|ai|human|person|automated)",
    r"wie (?:ben|is|bent) (?:je|jij|u|dit)|(?:ben|bent|is) (?:je|jij|u|dit) (?:een |wel een )?(?:bot|robot|mens"
    r"|echt\w*)|hoe heet (?:je|jij|u)",
    r"hvem er (?:du|det|I)|er (?:du|det) (?:en )?(?:bot|robot|menneske|rigtig)|hvad hedder du",
    r"wer (?:bist|sind|ist) (?:du|sie|das|da)|(?:bist|sind|ist) (?:du|sie|das) (?:ein |eine |echt)?\s?(?:bot"
    r"|roboter|mensch|echt|ki|maschine)|wie (?:heißt|heißen|heisst) (?:du|sie)",
    chinese="[你您]是谁|[你您]叫什么|机器人|真人|是人(?:工|类)?吗|是AI",
)


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail where the reply introduces us though this customer was answered before; who asks who we are is told."""
    if not grounds.answered_before or not _INTRODUCTION.search(reply.text):
        return []
    if _ASKED.search(visible(grounds.customer_text)):
        return []
    return [Failure(NAME, "answered-before")]
