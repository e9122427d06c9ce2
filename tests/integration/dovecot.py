"""A real IMAP server for one test module: Dovecot on a free port of loopback, with one account and a certificate."""

from __future__ import annotations

import contextlib
import getpass
import imaplib
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

USER, PASSWORD = "operator", "secret"
_START_S = 15.0

_CONFIG = """
base_dir = {home}/run
state_dir = {home}/run
log_path = {home}/dovecot.log
protocols = imap
listen = 127.0.0.1
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {internal}
first_valid_uid = 1
mail_uid = {mail}
mail_gid = {group}
mail_location = maildir:{home}/mail
ssl = required
ssl_cert = <{home}/cert.pem
ssl_key = <{home}/key.pem
disable_plaintext_auth = yes
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={mail} gid={group} home={home}/home
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


@dataclass
class Server:
    port: int
    cert: Path

    @property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.cert))

    @contextlib.contextmanager
    def client(self) -> Iterator[imaplib.IMAP4_SSL]:
        """The operator's own mail program, which may change things."""
        client = imaplib.IMAP4_SSL("localhost", self.port, ssl_context=self.context, timeout=10)
        client.login(USER, PASSWORD)
        try:
            yield client
        finally:
            client.logout()

    def put(self, *messages: bytes, folder: str = "INBOX") -> None:
        with self.client() as client:
            for message in messages:
                client.append(folder, "", None, message)  # type: ignore[arg-type]

    def empty(self) -> None:
        with self.client() as client:
            _, count = client.select("INBOX")
            if count != [b"0"]:
                client.store("1:*", "+FLAGS", "\\Deleted")
                client.expunge()

    def flags(self) -> list[str]:
        with self.client() as client:
            client.select("INBOX", readonly=True)
            _, found = client.fetch("1:*", "(FLAGS)")
            return [str(line) for line in found]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _certificate(home: Path) -> Path:
    command = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
        *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(home / "key.pem"), "-out", str(home / "cert.pem")),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return home / "cert.pem"


@contextlib.contextmanager
def dovecot() -> Iterator[Server]:
    """Run the server, without privileges where we have none. Pytest's own directories are closed to the mail's user."""
    with tempfile.TemporaryDirectory(prefix="onthoud-imap-") as directory, _running(Path(directory)) as server:
        yield server


@contextlib.contextmanager
def _running(home: Path) -> Iterator[Server]:
    program = shutil.which("dovecot", path=os.environ.get("PATH", "") + ":/usr/sbin")
    assert program is not None, "Dovecot is not installed"
    import grp

    root = os.getuid() == 0
    mail = "nobody" if root else getpass.getuser()
    group = "nogroup" if root else grp.getgrgid(os.getgid()).gr_name
    for name in ("run", "mail", "home"):
        (home / name).mkdir(parents=True)
        if root:
            shutil.chown(home / name, mail, group)
    home.chmod(0o755)  # the mail's own user must find its way
    port, cert = _free_port(), _certificate(home)
    config = home / "dovecot.conf"
    config.write_text(
        _CONFIG.format(
            home=home, port=port, password=PASSWORD, mail=mail, group=group, internal="dovecot" if root else mail
        )
    )
    process = subprocess.Popen([program, "-F", "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port, process, home)
        yield Server(port, cert)
    finally:
        process.terminate()
        process.wait(10)


def _wait(port: int, process: subprocess.Popen[bytes], home: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    log = home / "dovecot.log"
    raise AssertionError(f"Dovecot did not start: {log.read_text() if log.exists() else 'no log'}")
