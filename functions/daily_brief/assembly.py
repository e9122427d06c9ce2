"""The brief's parts put together from its settings: which sources it reads, which ways out it has."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from daily_brief.outlets import Outlet, audience
from daily_brief.phrasing import Phraser
from daily_brief.run import Parts
from daily_brief.settings import BriefSettings
from onthoud.adapters import aws
from onthoud.clock import SystemClock
from onthoud.delivery.sender import Sender
from onthoud.memory.alerts.log import AlertLog
from onthoud.memory.alerts.model import Rules
from onthoud.memory.alerts.stores import BRIEF_LOG, OPERATOR
from onthoud.ports.archive import Archive
from onthoud.ports.source import Source
from onthoud.runtime import Runtime


def runtime(environment: Mapping[str, str] | None = None) -> Runtime:
    """Return the shared parts, with the brief's settings.

    Raises:
        PermanentError: a setting is missing or wrong; the message names it.
    """
    return Runtime(BriefSettings.from_environment(os.environ if environment is None else environment), SystemClock())


def assemble(shared: Runtime) -> Parts:
    """Return what a run works with."""
    settings = BriefSettings.model_validate(shared.settings.model_dump())
    outlets = list(_outlets(shared, settings))
    return Parts(
        settings=settings,
        clock=shared.clock,
        desk=shared.desk,
        outbox=shared.outbox,
        log=operator_log(shared, settings),
        sources=list(_sources(shared, settings)),
        outlets=outlets,
        archive=_archive(settings),
        phraser=Phraser(shared.model, settings.brief_model, settings.brief_max_tokens),
        prices=shared.prices,
        redactor=shared.redactor,
    )


def operator_log(shared: Runtime, settings: BriefSettings) -> AlertLog:
    """Return the brief's alert log; the command line and the panel use the same."""
    names = [
        *(["channel"] if settings.brief_to_channel else []),
        *(["slack"] if settings.slack_webhook_parameter else []),
        *(["email"] if settings.brief_email_from and settings.brief_email_to else []),
    ]
    rules = Rules(
        audiences=tuple(audience(name) for name in names),
        resolve_after=settings.brief_resolve_after,
        remind_after_days=settings.brief_remind_days,
    )
    return AlertLog.of_operator(
        shared.table, shared.clock, settings.space, BRIEF_LOG, OPERATOR, rules, shared.redactor.clean
    )


def _outlets(shared: Runtime, settings: BriefSettings) -> Iterator[Outlet]:
    if settings.brief_to_channel:
        yield Outlet("channel", shared.channel, shared.sender)
    if settings.slack_webhook_parameter:
        from onthoud.adapters.slack import SlackChannel, split_for_slack

        slack = SlackChannel(shared.secrets, settings.slack_webhook_parameter)
        yield Outlet("slack", slack, Sender(shared.desk, shared.outbox, slack), split=split_for_slack)
    if settings.brief_email_from and settings.brief_email_to:
        from onthoud.adapters.ses import SesChannel

        mail = SesChannel(settings.brief_email_from, settings.brief_email_to)
        yield Outlet("email", mail, Sender(shared.desk, shared.outbox, mail), to=", ".join(settings.brief_email_to))


def _archive(settings: BriefSettings) -> Archive | None:
    if not settings.brief_bucket:
        return None
    from onthoud.adapters.s3_archive import S3Archive

    return S3Archive(aws.client("s3"), settings.brief_bucket)


def _sources(shared: Runtime, settings: BriefSettings) -> Iterator[Source]:
    from daily_brief.sources.own import OwnState
    from onthoud.adapters.sqs_depth import SqsDepth
    from onthoud.adapters.web import HttpWeb

    web, zone = HttpWeb(), settings.operator_zone
    yield from _mail(shared, settings)
    if settings.calendar_urls:
        from daily_brief.sources.calendar import CalendarFeed

        for number, url in enumerate(settings.calendar_urls, 1):
            yield CalendarFeed(web, url, zone, "calendar" if number == 1 else f"calendar-{number}")
    if settings.tasks_url:
        from daily_brief.sources.tasks import TaskList

        yield TaskList(web, settings.tasks_url, zone)
    if settings.todoist_token_parameter:
        from daily_brief.sources.todoist import Todoist

        parameter = settings.todoist_token_parameter
        yield Todoist(web, lambda: shared.secrets.get(parameter), zone)
    depth = SqsDepth(aws.client("sqs"))
    yield OwnState(shared.table, settings.space, shared.outbox, depth, settings.dead_letters)


def _mail(shared: Runtime, settings: BriefSettings) -> Iterator[Source]:
    from daily_brief.sources.mail import MailSource

    if settings.mail_bucket:
        from onthoud.adapters.mail_bucket import MailBucket

        yield MailSource(MailBucket(aws.client("s3", retries=1), settings.mail_bucket))
    if settings.imap_host:
        from daily_brief.sources.imap import ImapSource

        yield ImapSource(
            host=settings.imap_host,
            port=settings.imap_port,
            user=settings.imap_user,
            password=lambda: shared.secrets.get(settings.imap_password_parameter),
            folder=settings.imap_folder,
            name="imap" if settings.mail_bucket else "mail",
        )
