"""What the Messages API documents as an invalid request, refused in its own words.

The SDK's parameter types let nearly all of this through, so a prompt that is built wrongly would fail only in the
cloud. `check` covers the top level; messages, tools and output schemas have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .message_rules import check_messages, check_text_block
from .models import MODELS, ModelFacts
from .refusal import Refusal
from .schema_rules import check_schema
from .tool_rules import check_tools

MAX_REQUEST_BYTES = 32 * 1024 * 1024
"""The documented size limit of the Messages endpoint."""

MAX_CACHE_BREAKPOINTS = 4

FIELDS = frozenset(
    {
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "output_config",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
    }
)
"""The documented top-level fields. `temperature`, `top_p` and `top_k` are not among them any more."""

EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING_TYPES = ("adaptive", "between_tools", "disabled", "enabled")
SERVICE_TIERS = ("auto", "standard_only")


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse a request without a key or without a version."""
    if not headers.get("x-api-key") and not headers.get("authorization"):
        raise Refusal("x-api-key header is required", status=401)
    if not headers.get("anthropic-version"):
        raise Refusal("anthropic-version: header is required")


def check(request: object) -> dict[str, Any]:
    """Return the request if the API would take it.

    Raises:
        Refusal: with the API's status and message.
    """
    if not isinstance(request, dict):
        raise Refusal("Input should be a valid dictionary")
    for field in request:
        if field not in FIELDS:
            raise Refusal(f"{field}: Extra inputs are not permitted")
    for field in ("model", "max_tokens", "messages"):
        if field not in request:
            raise Refusal(f"{field}: Field required")
    facts = _model(request["model"])
    _check_max_tokens(request, facts)
    _check_system(request.get("system"))
    _check_output_config(request.get("output_config"), facts)
    check_tools(request, facts)
    check_messages(request, facts)
    _check_small_fields(request)
    _check_thinking(request, facts)
    _check_cache_breakpoints(request)
    return request


def _model(name: object) -> ModelFacts:
    if not isinstance(name, str) or not name:
        raise Refusal("model: Input should be a valid string")
    if name not in MODELS:
        raise Refusal(f"model: {name}", status=404)
    return MODELS[name]


def _check_max_tokens(request: Mapping[str, Any], facts: ModelFacts) -> None:
    wanted = request["max_tokens"]
    if isinstance(wanted, bool) or not isinstance(wanted, int):
        raise Refusal("max_tokens: Input should be a valid integer")
    # 0 only fills the prompt cache: without a breakpoint, or with an output format, it asks for nothing.
    warms_cache = wanted == 0 and "output_config" not in request and _breakpoints(request) > 0
    if wanted < 1 and not warms_cache:
        raise Refusal("max_tokens: Input should be greater than or equal to 1")
    if wanted > facts.max_tokens:
        raise Refusal(
            f"max_tokens: {wanted} > {facts.max_tokens}, which is the maximum allowed number of output tokens "
            f"for {request['model']}"
        )


def _check_system(system: object) -> None:
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        raise Refusal("system: Input should be a valid list")
    for number, block in enumerate(system):
        if not isinstance(block, dict) or block.get("type") != "text":
            raise Refusal(f"system.{number}.type: Input should be 'text'")
        check_text_block(block, f"system.{number}", "system")


def _check_output_config(config: object, facts: ModelFacts) -> None:
    if config is None:
        return
    if not isinstance(config, dict):
        raise Refusal("output_config: Input should be a valid dictionary")
    for field in config:
        if field not in ("effort", "format"):
            raise Refusal(f"output_config.{field}: Extra inputs are not permitted")
    _check_effort(config.get("effort"), facts)
    if config.get("format") is not None:
        _check_format(config["format"])


def _check_effort(effort: object, facts: ModelFacts) -> None:
    if effort is None:
        return
    if effort not in EFFORTS:
        raise Refusal(f"output_config.effort: Input should be {_one_of(EFFORTS)}")
    if not facts.effort:
        raise Refusal("This model does not support the effort parameter.")


def _check_format(wanted: object) -> None:
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        raise Refusal("output_config.format.type: Input should be 'json_schema'")
    for field in wanted:
        if field not in ("type", "schema"):
            raise Refusal(f"output_config.format.{field}: Extra inputs are not permitted")
    if "schema" not in wanted:
        raise Refusal("output_config.format.schema: Field required")
    check_schema(wanted["schema"])


def _check_small_fields(request: Mapping[str, Any]) -> None:
    tier = request.get("service_tier")
    if tier is not None and tier not in SERVICE_TIERS:
        raise Refusal(f"service_tier: Input should be {_one_of(SERVICE_TIERS)}")
    if not isinstance(request.get("stream", False), bool):
        raise Refusal("stream: Input should be a valid boolean")
    for number, sequence in enumerate(request.get("stop_sequences") or ()):
        if not isinstance(sequence, str) or not sequence.strip():
            raise Refusal(f"stop_sequences.{number}: each stop sequence must contain non-whitespace")
    metadata = request.get("metadata")
    for field in metadata or ():
        if field != "user_id":
            raise Refusal(f"metadata.{field}: Extra inputs are not permitted")


def _check_thinking(request: Mapping[str, Any], facts: ModelFacts) -> None:
    thinking = request.get("thinking")
    if thinking is None:
        return
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    if kind not in THINKING_TYPES:
        raise Refusal(f"thinking.type: Input should be {_one_of(THINKING_TYPES)}")
    if kind not in facts.thinking:
        raise Refusal(f"thinking.type.{kind} is not supported for this model")
    if kind == "enabled":
        budget = thinking.get("budget_tokens")
        if not isinstance(budget, int) or budget < 1024:
            raise Refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if budget >= request["max_tokens"]:
            raise Refusal("`max_tokens` must be greater than `thinking.budget_tokens`")


def _check_cache_breakpoints(request: Mapping[str, Any]) -> None:
    found = _breakpoints(request)
    if found > MAX_CACHE_BREAKPOINTS:
        raise Refusal(f"A maximum of {MAX_CACHE_BREAKPOINTS} blocks with cache_control may be provided. Found {found}.")


def _breakpoints(request: Mapping[str, Any]) -> int:
    blocks = [request, *_dicts(request.get("system")), *_dicts(request.get("tools"))]
    for message in _dicts(request.get("messages")):
        blocks += _dicts(message.get("content"))
    return sum(1 for block in blocks if block.get("cache_control"))


def _dicts(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _one_of(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names[:-1]) + f" or '{names[-1]}'"
