"""No test leaves this machine: unit tests open no socket, stack tests reach loopback alone."""

from __future__ import annotations

import os
import socket

import pytest
from pytest_socket import SocketBlockedError, SocketConnectBlockedError

ELSEWHERE = ("192.0.2.1", 443)  # RFC 5737: an address that nobody has


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_unit_test_opens_no_socket() -> None:
    with pytest.raises(SocketBlockedError):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


@pytest.mark.stack
@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_stack_test_reaches_loopback_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as elsewhere, pytest.raises(SocketConnectBlockedError):
        elsewhere.connect(ELSEWHERE)


def test_no_account_is_in_reach() -> None:
    assert os.environ["AWS_ACCESS_KEY_ID"] == "test"
    assert os.environ["AWS_EC2_METADATA_DISABLED"] == "true"
    assert "ANTHROPIC_API_KEY" not in os.environ
