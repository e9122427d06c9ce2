"""Builds what Lambda gets: the layer, and one package per function. `sam build` calls this through two Makefiles.

Only the standard library and uv are needed, on any Python from 3.11: wheels for Lambda's own platform are taken from
the lock file, so neither Docker nor Lambda's Python is asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / "infra" / "build" / "uv"
PYTHON_VERSION = "3.13"
PLATFORM = "aarch64-manylinux2014"
IN_THE_RUNTIME = ("boto3", "botocore", "s3transfer")
"""Lambda's Python brings these; they would double the layer."""
GROUPS = {"booking": "booking", "daily_brief": "brief", "knowledge_sync": "knowledge"}
"""Dependency groups of pyproject.toml whose packages travel with one function only, outside the layer."""
STAMP = "layer.sha256"
"""Name of the file in each function's package that holds the layer's content hash."""

_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", ".*", "tests")
_SURPLUS = ("**/__pycache__", "**/tests", "**/test", "bin", "**/*.dist-info/RECORD", ".lock")


def requirements(*groups: str) -> dict[str, str]:
    """Return pinned requirements from the lock file, name to line; of the layer, or of dependency groups alone."""
    scope = [f"--only-group={group}" for group in groups] or ["--no-dev"]
    prune = [f"--prune={name}" for name in IN_THE_RUNTIME]
    command = [
        str(UV),
        "export",
        "--frozen",
        "--quiet",
        "--no-emit-project",
        "--no-header",
        "--no-annotate",
        *scope,
        *prune,
    ]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    pins = re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip())
    return {re.split(r"[=\[ ;@]", pin, maxsplit=1)[0]: pin for pin in pins if pin}


def install(pins: dict[str, str], target: Path, *, for_host: bool = False) -> None:
    """Put wheels of the pinned requirements into `target`, for Lambda or (in tests) for this machine."""
    platform = [] if for_host else [f"--python-platform={PLATFORM}", f"--python-version={PYTHON_VERSION}"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(pins.values()) + "\n")
        file.flush()
        command = [str(UV), "pip", "install", "--quiet", "--target", str(target), *platform, "--only-binary=:all:"]
        subprocess.run([*command, "--no-deps", "--require-hashes", "-r", file.name], cwd=ROOT, check=True)
    for pattern in _SURPLUS:
        for path in sorted(target.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def build_layer(target: Path, *, shared: Path = ROOT / "shared", for_host: bool = False) -> None:
    """Build the layer's content: `python/` with the library and what it needs at run time."""
    python = target / "python"
    shutil.rmtree(python, ignore_errors=True)
    python.mkdir(parents=True)
    install(requirements(), python, for_host=for_host)
    shutil.copytree(shared / "onthoud", python / "onthoud", ignore=_IGNORED)


def build_function(logical_id: str, target: Path, *, shared: Path = ROOT / "shared", for_host: bool = False) -> None:
    """Build one function's package: its own modules, what only it needs, and the layer's hash.

    The hash is what publishes a new version when only the layer has changed. SAM names a version by the package's
    content, so without it the alias would go on running the old layer.
    """
    name = package_name(logical_id)
    source = ROOT / "functions" / name
    if not (source / "app.py").exists():
        raise SystemExit(f"{logical_id}: functions/{name}/app.py does not exist")
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target / name, ignore=_IGNORED, dirs_exist_ok=True)
    (target / STAMP).write_text(layer_hash(shared) + "\n", encoding="ascii")
    group = GROUPS.get(name)
    if group:
        in_the_layer = requirements()
        own = {package: pin for package, pin in requirements(group).items() if package not in in_the_layer}
        if own:
            install(own, target, for_host=for_host)


def package_name(logical_id: str) -> str:
    """Return the package of a function: SocialReplyFunction is `social_reply`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", logical_id.removesuffix("Function")).lower()


def layer_hash(shared: Path = ROOT / "shared") -> str:
    """Return a hash of all that decides the layer's content: the library, the pinned packages, and this recipe."""
    digest = hashlib.sha256()
    for part in (*sorted(requirements().values()), PYTHON_VERSION, PLATFORM, *_SURPLUS):
        digest.update(part.encode() + b"\0")
    for path in _library_files(shared / "onthoud"):
        digest.update(path.relative_to(shared).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _library_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root)
        hidden = any(part.startswith(".") or part in ("__pycache__", "tests") for part in inner.parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


def main() -> None:
    """Build one thing into a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logical_id", help="logical id in template.yaml, such as OnthoudLayer or IngestFunction")
    parser.add_argument("target", type=Path, help="directory that receives the result (sam's ARTIFACTS_DIR)")
    parser.add_argument("--for-host", action="store_true", help="wheels for this machine instead of Lambda")
    arguments = parser.parse_args()
    if arguments.logical_id == "OnthoudLayer":
        build_layer(arguments.target, for_host=arguments.for_host)
    else:
        build_function(arguments.logical_id, arguments.target, for_host=arguments.for_host)


if __name__ == "__main__":
    main()
