"""Profiles: each value with its source and time, one read, a bulk load that no bad row stops."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from onthoud import capacity
from onthoud.errors import Conflict, PermanentError
from onthoud.memory.profile import MAX_BYTES, Changes, CustomerProfile, Profiles, profile_key
from onthoud.memory.profile_input import profile_input
from onthoud.privacy.redaction import Redactor
from onthoud.scope import Scope, Space
from tests.fakes.memory_table import MemoryTable
from tests.fakes.world import START, TestClock, World
from tests.unit.cli.operator import Operator

ANA = Scope(Space("main", "default"), "email", "club", "ana-1")


def profiles(table: MemoryTable | None = None, clock: TestClock | None = None) -> Profiles:
    return Profiles(table or MemoryTable(), clock or TestClock(), Redactor().clean)


def test_each_value_keeps_its_source_and_time() -> None:
    clock = TestClock()
    store = profiles(clock=clock)
    store.save(ANA, Changes({"name": "Ana", "language": "nl"}), source="booking")
    clock.advance(days=1)
    store.save(ANA, Changes({"name": "Ana", "language": "da"}, own={"locker": 12}), source="operator")
    profile = store.get(ANA)
    assert profile.name is not None and profile.language is not None
    assert (profile.name.source, profile.name.at[:10]) == ("booking", "2026-11-30")
    assert (profile.language.value, profile.language.source, profile.language.at[:10]) == (
        "da",
        "operator",
        "2026-12-01",
    )
    assert profile.own["locker"].value == 12
    assert profile.plain() == {"name": "Ana", "language": "da", "locker": 12}


def test_what_is_not_named_stays_and_afresh_replaces_all() -> None:
    store = profiles()
    store.save(
        ANA,
        profile_input({"name": "Ana", "notes": [{"text": "left-handed", "visibility": "public"}]}).changes(),
        source="operator",
    )
    store.save(ANA, profile_input({"experience_level": "advanced"}).changes(), source="operator")
    profile = store.get(ANA)
    assert profile.plain()["name"] == "Ana" and profile.public_notes == ("left-handed",)
    store.save(ANA, profile_input({"language": "de"}).changes(), source="operator", afresh=True)
    assert store.get(ANA).plain() == {"language": "de"}


def test_a_note_that_does_not_say_who_may_read_it_is_for_the_staff() -> None:
    assert profile_input({"notes": [{"text": "always late"}]}).changes().notes == (("always late", "staff"),)


def test_outside_text_is_redacted_before_it_is_stored() -> None:
    table = MemoryTable()
    profiles(table).save(
        ANA, Changes(more_notes=(("mail ana@example.com", "staff"),), own={"x": ["+31 6 12345678"]}), source="operator"
    )
    stored = json.dumps(table.all_items())
    assert "ana@example.com" not in stored and "12345678" not in stored and "[email]" in stored


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"language": "Dutch language"}, "language"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"experience_level": "expert"}, "experience_level"),
        ({"preferred_courts": [""]}, "preferred_courts.0"),
        ({"notes": [{"text": "x", "visibility": "everybody"}]}, "notes.0.visibility"),
        ({"own": {"deep": 1}}, "own"),
        ({"own": 1.5}, "own"),
        ({"name": ""}, "name"),
    ],
)
def test_a_wrong_field_is_named_and_never_shown(value: dict[str, object], field: str) -> None:
    with pytest.raises(PermanentError) as caught:
        profile_input(value).changes()
    assert field in str(caught.value)
    assert not any(word in str(caught.value) for word in ("Dutch", "Mars", "expert", "everybody"))


def test_a_profile_of_4_kb_is_one_read_of_one_unit() -> None:
    table = MemoryTable()
    store = profiles(table)
    store.save(
        ANA,
        Changes({"name": "Ana", "preferred_courts": ["Court 3"]}, more_notes=(("x" * 3550, "staff"),)),
        source="operator",
    )
    size = capacity.item_size(table.get_many([profile_key(ANA)])[profile_key(ANA)])
    assert 3900 < size <= 4096
    before = table.meter.copy()
    table.calls.clear()
    store.get(ANA)
    used = table.meter.since(before)
    print(f"profile of {size} bytes: {table.calls}, {used.read_units} units")
    assert table.calls == ["get_many"] and used.read_units == 1


def test_a_profile_that_would_cost_every_booking_too_much_is_refused() -> None:
    with pytest.raises(PermanentError, match="larger than"):
        profiles().save(ANA, Changes(more_notes=(("y" * MAX_BYTES, "staff"),)), source="operator")


def test_two_writers_lose_nothing_to_each_other() -> None:
    table = MemoryTable()
    begun: list[int] = []

    def other_first(operation: str, phase: str) -> None:
        if operation == "write" and phase == "before" and not begun:
            begun.append(1)
            profiles(table).save(ANA, Changes({"language": "da"}), source="operator")

    table.hook = other_first
    profiles(table).save(ANA, Changes({"name": "Ana"}), source="operator")
    assert profiles(table).get(ANA).plain() == {"name": "Ana", "language": "da"}


def test_writers_without_end_are_a_conflict() -> None:
    class Busy(MemoryTable):
        def write(self, action: object) -> None:
            raise Conflict("somebody else")

    with pytest.raises(Conflict):
        profiles(Busy()).save(ANA, Changes({"name": "Ana"}), source="operator")


def test_a_linked_profile_fills_only_what_is_missing() -> None:
    store, clock = MemoryTable(), TestClock()
    bo = Scope(ANA.space, "instagram", "club", "bo")
    profiles(store, clock).save(ANA, Changes({"name": "Ana"}, own={"locker": 1}), source="operator")
    profiles(store, clock).save(
        bo, Changes({"name": "Bo", "language": "nl"}, own={"locker": 2, "car": "red"}), source="said"
    )
    both = profiles(store).get(ANA).over(profiles(store).get(bo))
    assert both.plain() == {"name": "Ana", "language": "nl", "locker": 1, "car": "red"}
    assert CustomerProfile.of_item(None) == CustomerProfile()


# -- from the command line


def customer_row(number: int, **more: str) -> dict[str, str]:
    return {
        "channel": "email",
        "account_id": "club",
        "customer_id": f"c-{number}",
        "name": f"Customer {number}",
        **more,
    }


def write_csv(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_ten_thousand_profiles_load(tmp_path: Path) -> None:
    world = World()
    rows = [
        customer_row(
            number,
            language="nl",
            preferred_courts=f"Court {number % 9};Court 3",
            experience_level="advanced",
            staff_note="pays in cash",
            locker=str(number),
        )
        for number in range(10_000)
    ]
    began = time.perf_counter()
    printed = Operator(world).run("profiles", "load", str(write_csv(tmp_path / "all.csv", rows)))
    print(f"10,000 profiles in {time.perf_counter() - began:.1f} s; reads {world.table.meter.reads}")
    assert printed == "10000 profiles loaded, 0 rows skipped.\n"
    assert world.table.calls.count("get_many") == 100 and world.table.calls.count("transact") == 100
    scope = Scope(world.settings.space, "email", "club", "c-4711")
    profile = Profiles(world.table, world.clock, str).get(scope)
    assert profile.preferred_courts is not None and profile.preferred_courts.value == ("Court 4", "Court 3")
    assert profile.staff_notes == ("pays in cash",) and profile.own["locker"].value == "4711"


def test_a_load_that_meets_another_writer_loses_nothing(tmp_path: Path) -> None:
    world = World()
    begun: list[int] = []
    scope = Scope(world.settings.space, "email", "club", "c-1")

    def other_first(operation: str, phase: str) -> None:
        if operation == "transact" and phase == "before" and not begun:
            begun.append(1)
            Profiles(world.table, world.clock, str).save(scope, Changes({"language": "da"}), source="said")

    world.table.hook = other_first
    file = write_csv(tmp_path / "p.csv", [customer_row(number) for number in range(3)])
    assert Operator(world).run("profiles", "load", str(file)) == "3 profiles loaded, 0 rows skipped.\n"
    assert Profiles(world.table, world.clock, str).get(scope).plain() == {"name": "Customer 1", "language": "da"}


def test_the_load_shows_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.progress import Progress

    seen: list[tuple[float, float | None]] = []
    update = Progress.update

    def watched(self: Progress, task_id: object, **changes: object) -> None:
        update(self, task_id, **changes)  # type: ignore[arg-type]
        seen.extend((task.completed, task.total) for task in self.tasks)

    monkeypatch.setattr(Progress, "update", watched)
    Operator(World()).run("profiles", "load", str(write_csv(tmp_path / "p.csv", [customer_row(n) for n in range(250)])))
    assert seen == [(100, 250), (200, 250), (250, 250)]


def test_a_bad_row_is_named_and_skipped(tmp_path: Path) -> None:
    world = World()
    rows = [
        customer_row(1),
        {**customer_row(2), "customer_id": ""},
        customer_row(3, time_zone="Nowhere"),
        customer_row(4),
    ]
    printed = Operator(world).run("profiles", "load", str(write_csv(tmp_path / "p.csv", rows)))
    assert "p.csv, row 3: skipped: customer_id: missing" in printed
    assert "p.csv, row 4: skipped: time_zone: no IANA time zone" in printed
    assert printed.endswith("2 profiles loaded, 2 rows skipped.\n")


JsonText = Callable[[list[object]], str]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.json", lambda rows: json.dumps(rows)),
        ("p.jsonl", lambda rows: "\n".join(json.dumps(row) for row in rows)),
    ],
)
def test_json_and_json_lines_load_too(tmp_path: Path, name: str, text: JsonText) -> None:
    world = World()
    notes = [{"text": "likes mornings", "visibility": "public"}, {"text": "vip"}]
    file = tmp_path / name
    file.write_text(text([{**customer_row(1), "notes": notes}, "rubbish", customer_row(1, language="da")]), "utf-8")
    found = Operator(world).json("profiles", "load", str(file))
    assert found == {"loaded": 2, "skipped": [{"row": 2, "reason": "not an object"}]}
    profile = Profiles(world.table, world.clock, str).get(Scope(world.settings.space, "email", "club", "c-1"))
    assert profile.public_notes == ("likes mornings",) and profile.staff_notes == ("vip",)
    assert profile.language is not None and profile.language.value == "da"


def test_a_file_that_is_none_says_so(tmp_path: Path) -> None:
    operator = Operator(World())
    bad = tmp_path / "bad.csv"
    bad.write_text("name,language\nAna,nl\n", "utf-8")
    operator.run("profiles", "load", str(bad), code=1)
    assert "bad.csv: the header lacks channel, account_id, customer_id" in operator.errors
    operator.run("profiles", "load", str(tmp_path / "missing.csv"), code=1)
    assert "missing.csv cannot be read" in operator.errors


def test_single_edits_and_looking() -> None:
    operator = Operator(World())
    operator.run(
        "profiles", "set", "email/club/ana%2F1", "name=Ana", "preferred_courts=Court 3; Court 5", "staff_note=late"
    )
    operator.run("profiles", "set", "email/club/ana%2F1", "language=nl", "public_note=left-handed")
    assert operator.json("profiles", "show", "email/club/ana%2F1") == {
        "name": "Ana",
        "language": "nl",
        "preferred_courts": ["Court 3", "Court 5"],
        "notes": [{"text": "late", "visibility": "staff"}, {"text": "left-handed", "visibility": "public"}],
    }
    shown = operator.run("profiles", "show", "email/club/ana%2F1")
    assert "note (staff)" in shown and "operator" in shown and START.strftime("%Y-%m-%d") in shown
    assert "Nothing is known" in operator.run("profiles", "show", "email/club/nobody")
    operator.run("profiles", "set", "email/club/x", "name", code=2)
