"""The booking bot: what a confirmation costs, what a profile costs, and how the fact check does."""

from __future__ import annotations

import time
from collections.abc import Iterable

from booking.checks.check import check
from onthoud.delivery import decisions
from onthoud.memory.profile import Changes, Profiles
from onthoud.ports.model import Usage
from onthoud.prices import Prices
from onthoud.text.tokens import estimate
from tests.bench.registry import Figure, benchmark
from tests.unit.booking.drafts import STAFF_NOTES, leaks, mutations, right_drafts
from tests.unit.booking.scene import Scene, booking

DRAFT = "Hi Ana! Your booking is confirmed: Court 3, December 1, 6:00 PM – 7:00 PM (Europe/Amsterdam) at Onthoud Club."


@benchmark("Booking: one confirmation for a customer with a profile of 4 KB")
def confirmation() -> Iterable[Figure]:
    """Yield the calls, units and tokens of one confirmation."""
    scene = Scene()
    profiles = Profiles(scene.world.table, scene.world.clock, str)
    changes = Changes({"name": "Ana", "preferred_courts": ["Court 3"]}, more_notes=(("x" * 3550, "staff"),))
    profiles.save(scene.scope(), changes, source="operator")
    before = scene.world.table.meter.copy()
    profiles.get(scene.scope())
    looked = scene.world.table.meter.since(before)
    yield Figure("look-up of the profile", looked.reads, "reads", budget=1)
    yield Figure("look-up of the profile", looked.read_units, "read units", budget=1)

    scene.draft(DRAFT)
    scene.deliver(booking())
    found = decisions.of_event(scene.world.table, scene.world.settings.space, "b-1", scene.world.clock.now())[0]
    yield Figure("before the model call", found["reads"], "round trips", budget=2)
    yield Figure("after it", found["writes"], "writes", budget=2)
    yield Figure("all of it", found["units"]["read"], "read units")
    yield Figure("all of it", found["units"]["write"], "write units")

    request = scene.world.model.requests[0]
    usage = Usage(estimate(request.system + request.messages[0].text), estimate(DRAFT))
    yield Figure("prompt, estimated", usage.input, "tokens")
    yield Figure("answer, estimated", usage.output, "tokens")
    cost = Prices.parse(scene.world.settings.model_prices).cost(request.model, usage)
    yield Figure("model", float(cost * 1000), "USD per 1,000 confirmations")


@benchmark("Booking: fact check in five languages")
def fact_check() -> Iterable[Figure]:
    """Yield how many drafts pass and fail, and what a check takes."""
    right, wrong, leaked = list(right_drafts()), list(mutations()), list(leaks())
    passed = sum(not check(text, case.facts(language)).faults for language, case, text in right)
    yield Figure(f"right drafts that go out, of {len(right)}", 100 * passed / len(right), "%", least=95)
    through = sum(not check(text, case.facts(language)).faults for _, language, case, text in wrong)
    yield Figure(f"wrong drafts that go out, of {len(wrong)}", through, "drafts", budget=0)
    said = sum(not check(text, case.facts(language, staff=STAFF_NOTES)).faults for language, case, text in leaked)
    yield Figure(f"paraphrased staff notes that go out, of {len(leaked)}", said, "drafts", budget=0)
    begun = time.process_time()
    for language, case, text in right:
        check(text, case.facts(language))
    yield Figure("one check", 1000 * (time.process_time() - begun) / len(right), "ms of one core", budget=20)
