"""The look at the build finds what Lambda could not run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from infra.build import check
from infra.build.check import AARCH64, faults

X86_64 = 62


def elf(machine: int) -> bytes:
    return b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    python = tmp_path / "OnthoudLayer" / "python"
    (python / "onthoud").mkdir(parents=True)
    (python / "onthoud" / "__init__.py").touch()
    (python / "core.cpython-313-aarch64-linux-gnu.so").write_bytes(elf(AARCH64))
    (python / "stable.abi3.so").write_bytes(elf(AARCH64))
    for name in ("SocialReplyFunction", "IngestFunction"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "layer.sha256").write_text("abc\n")
    return tmp_path


def _other_processor(built: Path) -> None:
    (built / "OnthoudLayer" / "python" / "core.cpython-313-aarch64-linux-gnu.so").write_bytes(elf(X86_64))


def _other_python(built: Path) -> None:
    (built / "IngestFunction" / "core.cpython-311-aarch64-linux-gnu.so").write_bytes(elf(AARCH64))


def _no_library(built: Path) -> None:
    (built / "OnthoudLayer" / "python" / "onthoud" / "__init__.py").unlink()


def _other_layer(built: Path) -> None:
    (built / "IngestFunction" / "layer.sha256").write_text("def\n")


def test_a_sound_build_passes(built: Path) -> None:
    assert list(faults(built)) == []


@pytest.mark.parametrize("fault", [_other_processor, _other_python, _no_library, _other_layer])
def test_a_fault_is_found(built: Path, fault: Callable[[Path], None]) -> None:
    fault(built)
    assert len(list(faults(built))) == 1


def test_a_reply_path_over_the_limit_is_found(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (built / "SocialReplyFunction" / "data.bin").write_bytes(bytes(2_000_000))
    monkeypatch.setattr(check, "LARGEST_MB", 1)
    assert "2.0 MB" in "".join(faults(built))
