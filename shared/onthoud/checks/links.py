"""Links, domains and mail addresses stand in the material, or not in the reply."""

from __future__ import annotations

from onthoud.checks.extract import emails, links
from onthoud.checks.failure import Failure
from onthoud.checks.grounds import Grounds, Reply

NAME = "links"


def check(reply: Reply, grounds: Grounds) -> list[Failure]:
    """Fail on an address that the material does not hold; the bare host of a known link is known too."""
    failures: list[Failure] = []
    stated = links(reply.text)
    addresses = {mention.address for mention in emails(reply.text)}
    if not stated and not addresses:
        return failures
    material = grounds.material
    known = {(link.host, link.path) for link in links(material)}
    hosts = {host for host, _ in known}
    known_addresses = {mention.address for mention in emails(material)}
    if any((link.host, link.path) not in known and (link.path or link.host not in hosts) for link in stated):
        failures.append(Failure(NAME, "ungrounded-link"))
    if addresses - known_addresses:
        failures.append(Failure(NAME, "ungrounded-mail-address"))
    return failures
