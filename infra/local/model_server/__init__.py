"""A local server that speaks Anthropic's Messages API to the unmodified SDK: scripted answers, else a rehearsal."""

from __future__ import annotations

from .app import ModelServer
from .calls import CallLog
from .script import Script

__all__ = ["CallLog", "ModelServer", "Script"]
