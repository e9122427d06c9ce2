"""Lambda: the comments queue -> the social reply bot."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from onthoud.delivery.records import Batch, answer
from onthoud.observability import logger, metrics
from onthoud.runtime import Runtime
from onthoud.snapshot import preload
from social_reply.bot import Run, SocialReply, deletions
from social_reply.created import BOT

preload(os.environ)


@cache
def runtime() -> Runtime:
    """Return the warm function's parts."""
    return Runtime.from_environment()


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer the comments of a batch; report the messages that must come back."""
    parts = runtime()
    worker = parts.worker(BOT, "comments", parts.settings.comments_dead_letters_url)
    bot = SocialReply(parts, worker)
    batch = Batch(event, context)
    deleted = deletions(batch.events())
    return answer(
        batch,
        lambda message, deadline: worker.work(
            message, deadline, lambda unwrapped: bot.process(unwrapped, Run(message, deadline, deleted))
        ),
    )
