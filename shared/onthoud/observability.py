"""One logger and one metrics object. Logs carry ids, never content."""

from __future__ import annotations

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

logger = Logger(service="onthoud", log_uncaught_exceptions=False)
metrics = Metrics(namespace="Onthoud", service="onthoud")


def count(name: str, amount: float = 1, unit: MetricUnit = MetricUnit.Count) -> None:
    """Add to an EMF metric; it leaves with the invocation's log."""
    metrics.add_metric(name=name, unit=unit, value=amount)
