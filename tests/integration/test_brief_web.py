"""Reading feeds over HTTP: what is half, too large, elsewhere or too slow is never passed off as the whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from onthoud.adapters.web import HttpWeb
from onthoud.errors import PermanentError, RetryableError
from tests.fakes.serving import serving

pytestmark = pytest.mark.stack


async def whole(request: Request) -> Response:
    return Response(request.headers.get("authorization", "none"), media_type="text/calendar")


async def status(request: Request) -> Response:
    return Response("<html>", int(request.path_params["code"]))


class Half(Response):
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1000")]})
        await send({"type": "http.response.body", "body": b"x" * 10})


async def half(request: Request) -> Response:
    return Half()


async def moved(request: Request) -> Response:
    return RedirectResponse("/whole", 302)


async def away(request: Request) -> Response:
    return RedirectResponse("http://calendar.example.com/", 302)


async def loop(request: Request) -> Response:
    return RedirectResponse("/loop", 302)


async def slow(request: Request) -> Response:
    await asyncio.sleep(5)
    return Response("late")


async def large(request: Request) -> Response:
    return Response(b"x" * 5000)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    routes = [
        Route("/whole", whole),
        Route("/status/{code}", status),
        Route("/half", half),
        Route("/moved", moved),
        Route("/away", away),
        Route("/loop", loop),
        Route("/slow", slow),
        Route("/large", large),
    ]
    with serving(Starlette(routes=routes)) as url:
        yield url


def web() -> HttpWeb:
    return HttpWeb(timeout_s=1.0, max_bytes=4000)


@pytest.mark.parametrize("path", ["whole", "moved"])
def test_a_whole_page_is_read_and_a_redirect_on_the_same_host_followed(address: str, path: str) -> None:
    page = web().get(f"{address}/{path}", headers={"Authorization": "Bearer t"})
    assert (page.body, page.content_type.split(";")[0]) == (b"Bearer t", "text/calendar")


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("status/500", RetryableError, "status 500"),
        ("status/404", RetryableError, "status 404"),
        ("status/204", RetryableError, "status 204"),
        ("half", RetryableError, "ProtocolError|IncompleteRead"),
        ("slow", RetryableError, "ReadTimeoutError"),
        ("loop", RetryableError, "too many redirects"),
        ("large", PermanentError, "larger than"),
        ("away", PermanentError, "https://"),
    ],
)
def test_anything_else_is_a_failure(address: str, path: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said) as raised:
        web().get(f"{address}/{path}")
    assert address not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["http://calendar.example.com/", "file:///etc/passwd", "ftp://x", "https://", "http://10.0.0.1/"]
)
def test_only_https_and_loopback_are_read(url: str) -> None:
    with pytest.raises(PermanentError):
        web().get(url)


def test_a_server_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(RetryableError, match="NewConnectionError"):
        web().get("http://127.0.0.1:9/")
