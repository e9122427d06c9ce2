"""One logger and one metrics object. Logs carry ids, never content."""

from __future__ import annotations

import os
import warnings

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

# The template names the function and the stack, so that alarms of two stages in one account do not share a metric.
_SERVICE = os.environ.get("POWERTOOLS_SERVICE_NAME", "onthoud")
_NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "Onthoud")

# An invocation that has nothing to count is no reason for a line in the log.
warnings.filterwarnings("ignore", message="No application metrics to publish")

logger = Logger(service=_SERVICE, log_uncaught_exceptions=False)
metrics = Metrics(namespace=_NAMESPACE, service=_SERVICE)


def count(name: str, amount: float = 1, unit: MetricUnit = MetricUnit.Count) -> None:
    """Add to an EMF metric; it leaves with the invocation's log."""
    metrics.add_metric(name=name, unit=unit, value=amount)
