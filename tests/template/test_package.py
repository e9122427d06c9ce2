"""What `sam build` makes: importable with nothing but Lambda's runtime, and new when the layer is new."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest
from samtranslator.translator.transform import transform as sam_transform

from infra.build import package
from infra.build.package import STAMP, build_function, build_layer, layer_hash, requirements
from tests.template.load import ROOT, source, stack

RUNTIME = ("boto3", "botocore", "s3transfer", "jmespath", "urllib3", "dateutil", "six.py")
"""What Lambda's Python has of its own."""
FUNCTIONS = sorted(name for name, item in source()["Resources"].items() if item["Type"] == "AWS::Serverless::Function")


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("layer")
    build_layer(target, for_host=True)
    return target / "python"


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runtime")
    installed = Path(sysconfig.get_path("purelib"))
    for name in RUNTIME:
        (directory / name).symlink_to(installed / name)
    return directory


@pytest.mark.parametrize("logical_id", FUNCTIONS)
def test_the_built_handler_imports_with_the_layer_alone(
    logical_id: str, layer: Path, runtime: Path, tmp_path: Path
) -> None:
    build_function(logical_id, tmp_path / "code", for_host=True)
    function = stack().resources[logical_id]
    module, _, name = str(function.properties["Handler"]).rpartition(".")
    program = textwrap.dedent(f"""
        import importlib, sys
        sys.path += {[str(tmp_path / "code"), str(layer), str(runtime)]!r}
        handler = getattr(importlib.import_module({module!r}), {name!r})
        assert callable(handler)
    """)
    variables = {name: str(value) for name, value in function.properties["Environment"]["Variables"].items()}
    environment = {**variables, "PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "eu-west-1"}
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_layer_leaves_out_what_the_runtime_brings() -> None:
    pins = requirements()
    assert {"pydantic", "anthropic"} <= set(pins)
    assert not {"boto3", "botocore", "pytest", "ministack", "typer"} & set(pins)
    assert all("--hash=" in pin for pin in pins.values())


def test_layer_and_functions_are_built_for_the_same_python() -> None:
    runtimes = {function.properties["Runtime"] for function in stack().of_type("AWS::Lambda::Function")}
    assert runtimes == {f"python{package.PYTHON_VERSION}"}
    assert source()["Resources"]["OnthoudLayer"]["Properties"]["CompatibleRuntimes"] == [*runtimes]


def _content(directory: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(directory)}".encode() + path.read_bytes())
    return digest.hexdigest()


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


def _version_behind_the_alias(code: Path) -> str:
    """SAM packages by content: the package's hash is its name in the bucket."""
    document = source()
    functions = [item for item in document["Resources"].values() if item["Type"] == "AWS::Serverless::Function"]
    for function in functions:
        function["Properties"]["CodeUri"] = f"s3://code/{_content(code)}"
    document["Resources"]["OnthoudLayer"]["Properties"]["ContentUri"] = "s3://code/layer"
    alias = sam_transform(document, {}, _NoManagedPolicies())["Resources"]["IngestFunctionAliaslive"]
    return str(alias["Properties"]["FunctionVersion"]["Fn::GetAtt"][0])


def test_a_fix_in_the_layer_reaches_the_alias(tmp_path: Path) -> None:
    fixed = tmp_path / "shared"
    shutil.copytree(ROOT / "shared", fixed, ignore=shutil.ignore_patterns("__pycache__"))
    versions = []
    for turn, shared in enumerate((ROOT / "shared", fixed)):
        build_function("IngestFunction", tmp_path / str(turn), shared=shared)
        versions.append(_version_behind_the_alias(tmp_path / str(turn)))
    assert versions[0] == versions[1], "the same layer must not publish a new version"

    with (fixed / "onthoud" / "errors.py").open("a", encoding="utf-8") as file:
        file.write("\n# a fix\n")
    build_function("IngestFunction", tmp_path / "fixed", shared=fixed)
    assert _version_behind_the_alias(tmp_path / "fixed") != versions[0]


def test_the_layer_hash_counts_packages_and_ignores_what_is_not_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "shared", tmp_path / "shared", ignore=shutil.ignore_patterns("__pycache__"))
    before = layer_hash(tmp_path / "shared")
    (tmp_path / "shared" / "onthoud" / "__pycache__").mkdir()
    (tmp_path / "shared" / "onthoud" / "__pycache__" / "keys.pyc").write_bytes(b"x")
    assert layer_hash(tmp_path / "shared") == before

    pins = requirements()
    monkeypatch.setattr(package, "requirements", lambda *_: {**pins, "pydantic": "pydantic==9.9"})
    assert layer_hash(tmp_path / "shared") != before


def test_a_package_carries_its_own_function_only(tmp_path: Path) -> None:
    build_function("IngestFunction", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ingest", STAMP]


def test_no_requirement_is_a_path_on_the_developers_machine() -> None:
    """SAM drops such lines without a word."""
    for group in ((), *((name,) for name in package.GROUPS.values())):
        assert [
            pin for pin in requirements(*group).values() if "file:" in pin or pin.startswith(("-e", ".", "/"))
        ] == []
