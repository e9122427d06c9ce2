"""What the alert log keeps is registered, is erased with its customer, and ends by itself."""

from __future__ import annotations

from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Observation, Rules
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR, STORES
from onthoud.privacy.erasure import erase
from onthoud.privacy.registry import Estate
from onthoud.scope import Scope
from onthoud.stores import REGISTRY
from tests.unit.alerts.setting import READER, SPACE, Setting, task

ANA = Scope(SPACE, "instagram", "club", "ana")


def about(subject: str, scope: Scope) -> Observation:
    return task(subject, title=f"Refund for {subject}", about=scope.partition)


def test_every_kind_of_item_is_registered() -> None:
    setting = Setting(Rules((READER,), hold_over=1000))
    setting.morning(task("t1"), task("t2"))
    setting.table.transact(setting.log.keep(setting.observe(setting.read(task("t1"), task("t3")))))
    kinds = {item["kind"] for item in setting.table.all_items()}
    setting.morning(task("t1"))
    kinds |= {item["kind"] for item in setting.table.all_items()}
    assert kinds == {"alert", "alert-closed", "alert-log", "alert-plan"}
    assert kinds <= REGISTRY.kinds()
    assert {store.kind for store in STORES} <= REGISTRY.kinds()


def test_erasing_a_customer_takes_the_alerts_about_them_open_and_closed_and_no_others() -> None:
    setting = Setting()
    bo = Scope(SPACE, "instagram", "club", "bo")
    setting.morning(about("open", ANA), about("over", ANA), about("bos", bo), task("other"))
    setting.morning(about("open", ANA), about("bos", bo), task("other"))
    own = AlertLog.of_customer(setting.table, setting.clock, ANA, "recommended", Rules(("ana",)))
    own.tell(Observation("articles", "article", "a-1", "How to serve", {"edition": 1}), "ana", "c-1")
    receipt = erase(Estate(setting.table, setting.clock, SPACE), REGISTRY, ANA)
    assert (receipt.counts["alert"], receipt.counts["alert-closed"]) == (2, 1)
    left = [alert.key for alert in setting.log.all(closed=True)]
    assert left == ["tasks:task:bos", "tasks:task:other"]
    assert "Refund for open" not in str(setting.table.all_items())
    assert not [item for item in setting.table.all_items() if item["pk"] == ANA.partition and item["sk"] != "head"]


def test_what_is_over_and_what_is_on_its_way_expires_and_what_is_open_does_not() -> None:
    setting = Setting()
    setting.morning(task("open"), task("over"))
    setting.morning(task("open"))
    setting.table.transact(setting.log.keep(setting.observe(setting.read(task("open")))))
    lasting = {item["kind"] for item in setting.table.all_items() if "expires_at" not in item}
    ending = {item["kind"] for item in setting.table.all_items() if "expires_at" in item}
    assert (lasting, ending) == ({"alert", "alert-log"}, {"alert-closed", "alert-plan"})


def test_the_brief_keeps_its_log_where_the_eraser_looks() -> None:
    setting = Setting()
    setting.morning(task())
    partition = setting.table.all_items()[0]["pk"]
    assert partition == f"alerts#main#default#{BRIEF_LOG}#{OPERATOR}"
