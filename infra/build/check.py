"""Looks at what `sam build` made: small enough, and compiled for Lambda's processor and Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from infra.build.package import PYTHON_VERSION, ROOT

LARGEST_MB = 50
"""What the reply path's packages may take unpacked, of the 250 MB that Lambda allows."""
AARCH64 = 183
"""`e_machine` of ELF files for arm64 (ELF for the Arm 64-bit Architecture, section 4.3)."""


def size_mb(directory: Path) -> float:
    """Return the size of all files under a directory, in megabytes."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6


def foreign_modules(directory: Path) -> Iterator[str]:
    """Yield compiled modules that Lambda could not load, with the reason."""
    tag = f"cpython-{PYTHON_VERSION.replace('.', '')}-"
    for path in sorted(directory.rglob("*.so")):
        with path.open("rb") as file:
            header = file.read(20)
        machine = int.from_bytes(header[18:20], "little")
        if header[:4] != b"\x7fELF" or machine != AARCH64:
            yield f"{path.relative_to(directory)} is not for arm64"
        elif "cpython-" in path.name and tag not in path.name:
            yield f"{path.relative_to(directory)} is not for Python {PYTHON_VERSION}"


def faults(built: Path) -> Iterator[str]:
    """Yield what is wrong with the build under a directory; none means that it may be deployed."""
    layer = built / "OnthoudLayer"
    if not (layer / "python" / "onthoud" / "__init__.py").exists():
        yield "the layer holds no onthoud"
    reply_path = size_mb(layer) + size_mb(built / "SocialReplyFunction")
    if reply_path > LARGEST_MB:
        yield f"the reply path takes {reply_path:.1f} MB, more than {LARGEST_MB}"
    stamps = {path.read_text() for path in built.glob("*Function/layer.sha256")}
    if len(stamps) != 1:
        yield f"the functions were built for {len(stamps)} different layers"
    for part in sorted(built.iterdir()):
        yield from (f"{part.name}: {fault}" for fault in foreign_modules(part))


def main() -> None:
    """Print the sizes; fail if anything is wrong."""
    built = ROOT / ".aws-sam" / "build"
    for part in sorted(path for path in built.iterdir() if path.is_dir()):
        sys.stdout.write(f"{part.name:24} {size_mb(part):6.1f} MB unpacked\n")
    found = list(faults(built))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
