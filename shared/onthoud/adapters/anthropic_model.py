"""The model port over Anthropic's SDK, which is imported at the first call and not before (it takes a second)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from onthoud.adapters.retry_after import retry_after_s
from onthoud.errors import OnthoudError, PermanentError, RetryableError
from onthoud.observability import count
from onthoud.ports.model import Message, ModelAnswer, ModelRequest, Usage
from onthoud.ports.secrets import Secrets

if TYPE_CHECKING:
    from anthropic import Anthropic, APIConnectionError, APIStatusError

PURPOSE_HEADER = "X-Onthoud-Purpose"
CONNECT_TIMEOUT_S = 3.0

_LEAST_S = 0.5
"""A second try on a dead connection needs at least this much time."""

_TRANSIENT = frozenset({408, 409, 425, 429})
_OPERATORS_FAULT = frozenset({402, 403, 404})
_TRANSIENT_TYPES = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})

# Since the 5 models, thinking is on unless it is switched off, and its tokens count towards `max_tokens`: a reply of
# 512 tokens at most would be cut off by the thinking before it. Source: the API's guides on thinking and on effort.
_CANNOT_STOP_THINKING = ("claude-opus-5-5", "claude-fable-5", "claude-mythos-5")
_THINKS_BETWEEN_TOOLS = ("claude-sonnet-5-5",)
_CAN_STOP_THINKING = ("claude-haiku-5", "claude-opus-5", "claude-sonnet-5")


class AnthropicModel:
    """Asks Claude. One instance per function: it keeps the SDK's client with its pooled connections.

    `ANTHROPIC_BASE_URL` is honoured by the SDK itself.
    """

    def __init__(
        self, secrets: Secrets, key_parameter: str, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep where the key is; nothing is read or imported yet.

        Args:
            secrets: the secrets port.
            key_parameter: the name of the API key in it.
            monotonic: the clock of timeouts, in seconds.
        """
        self._secrets = secrets
        self._key_parameter = key_parameter
        self._monotonic = monotonic
        self._key = ""
        self._client: Anthropic | None = None
        self._has_answered = False

    def answer(self, request: ModelRequest, *, timeout_s: float) -> ModelAnswer:
        """Ask once, within `timeout_s` seconds in all; see the port.

        A changed key is fetched anew once. A pooled connection that the far end closed while the environment was
        frozen is replaced once, at once. There is no other retry: that is the queue's work.
        """
        import anthropic

        ends = self._monotonic() + timeout_s
        client = self._client_with(self._secrets.get(self._key_parameter))
        try:
            return self._ask(client, request, timeout_s)
        except anthropic.APIConnectionError as error:
            left = ends - self._monotonic()
            if not (self._has_answered and _is_dead_connection(error) and left > _LEAST_S):
                raise _unreachable(error) from None
        except anthropic.AuthenticationError:
            client = self._client_with(self._fresh_key())
            left = ends - self._monotonic()
        except anthropic.APIStatusError as error:
            raise _refused(error) from None
        return self._ask_again(client, request, left)

    def close(self) -> None:
        """Close the pooled connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _ask_again(self, client: Anthropic, request: ModelRequest, timeout_s: float) -> ModelAnswer:
        import anthropic

        if timeout_s <= _LEAST_S:
            raise RetryableError("the model did not answer in time")
        try:
            return self._ask(client, request, timeout_s)
        except anthropic.APIConnectionError as error:
            raise _unreachable(error) from None
        except anthropic.AuthenticationError:
            raise self._wrong_key() from None
        except anthropic.APIStatusError as error:
            raise _refused(error) from None

    def _ask(self, client: Anthropic, request: ModelRequest, timeout_s: float) -> ModelAnswer:
        import httpx2

        connect_s = min(CONNECT_TIMEOUT_S, timeout_s / 3)
        timeout = httpx2.Timeout(timeout_s - connect_s, connect=connect_s)
        try:
            message: Any = client.messages.create(
                **parameters(request), timeout=timeout, extra_headers={PURPOSE_HEADER: request.purpose}
            )
        except ValueError:  # a 200 whose body is no JSON; the SDK lets the parser's error through
            raise RetryableError("the model's answer is not a message") from None
        self._has_answered = True
        answer = read(message)
        count("InputTokens", answer.usage.input)
        count("OutputTokens", answer.usage.output)
        return answer

    def _client_with(self, key: str) -> Anthropic:
        from anthropic import Anthropic

        if self._client is None or key != self._key:
            self.close()
            self._client, self._key = Anthropic(api_key=key, max_retries=0), key
            self._has_answered = False
        return self._client

    def _fresh_key(self) -> str:
        key = self._secrets.get(self._key_parameter, fresh=True)
        if key == self._key:
            raise self._wrong_key() from None
        return key

    def _wrong_key(self) -> RetryableError:
        # Not permanent: the operator's fault must not put the customers' events into quarantine.
        return RetryableError(
            f"the model API refuses the key: put a valid one into the parameter {self._key_parameter}"
        )


def parameters(request: ModelRequest) -> dict[str, Any]:
    """Return the SDK's arguments for a request."""
    output: dict[str, Any] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
    asked: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": [{"role": message.role, "content": _content(message)} for message in request.messages],
        "output_config": output,
    }
    if request.system:
        asked["system"] = request.system
    if request.model.startswith(_CANNOT_STOP_THINKING):
        output["effort"] = "low"
    elif request.model.startswith(_THINKS_BETWEEN_TOOLS):
        asked["thinking"] = {"type": "between_tools"}
    elif request.model.startswith(_CAN_STOP_THINKING):
        asked["thinking"] = {"type": "disabled"}
    return asked


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.images:
        return message.text
    images = [{"type": "image", "source": {"type": "url", "url": image.url}} for image in message.images]
    return [*images, {"type": "text", "text": message.text}]


def read(message: Any) -> ModelAnswer:
    """Read the SDK's message; the caller checks the stop reason and the text.

    Raises:
        RetryableError: an overload, or something that is no message, inside a 200.
        PermanentError: another error inside a 200.
    """
    kind = getattr(message, "type", None)
    if kind == "error":
        raise _error_in_200(message)
    if kind != "message":
        raise RetryableError("the model's answer is not a message")
    usage = message.usage
    return ModelAnswer(
        text="".join(block.text for block in message.content or () if block.type == "text"),
        stop_reason=message.stop_reason or "",
        usage=Usage(
            input=usage.input_tokens,
            output=usage.output_tokens,
            cache_read=usage.cache_read_input_tokens or 0,
            cache_write=usage.cache_creation_input_tokens or 0,
        ),
        model=message.model,
    )


def _error_in_200(message: Any) -> OnthoudError:
    error = getattr(message, "error", None)
    kind = str(error.get("type", "") if isinstance(error, Mapping) else getattr(error, "type", ""))
    if kind in _TRANSIENT_TYPES:
        count("ModelOverloaded")
        return RetryableError(f"the model API is not available: {kind} inside a 200")
    return PermanentError(f"the model API refuses the request: {kind or 'an unnamed error'} inside a 200")


def _unreachable(error: APIConnectionError) -> RetryableError:
    import anthropic

    if isinstance(error, anthropic.APITimeoutError):
        return RetryableError("the model did not answer in time")
    return RetryableError(f"the model API cannot be reached: {type(error.__cause__).__name__}")


def _is_dead_connection(error: APIConnectionError) -> bool:
    """Tell whether a connection broke before any answer came, as a pooled one does that idled for too long."""
    import httpx2

    cause = error.__cause__
    if isinstance(cause, httpx2.RemoteProtocolError):
        return "without sending a response" in str(cause)
    return isinstance(cause, httpx2.ReadError | httpx2.WriteError)


def _refused(error: APIStatusError) -> OnthoudError:
    """Class a refusal by its status. The API's own words stay out: they may quote the prompt."""
    status = error.status_code
    told = f"{status} {error.type or ''}".strip() + (f" ({error.request_id})" if error.request_id else "")
    if status in _TRANSIENT or status >= 500 or error.type in _TRANSIENT_TYPES:
        count("ModelOverloaded")
        return RetryableError(
            f"the model API is not available: {told}", retry_after_s=retry_after_s(error.response.headers)
        )
    if status in _OPERATORS_FAULT or _is_about_money(error.error_code):
        return RetryableError(
            f"the model API wants the operator to see to billing, a spend limit, or the model's name: {told}"
        )
    return PermanentError(f"the model API refuses the request: {told}")


def _is_about_money(code: str | None) -> bool:
    return code is not None and ("spend_limit" in code or "billing" in code)
