"""The house's plan: who may depend on whom, where SDKs are imported, how long a handler may be."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/__init__.py"))
SDKS = {"boto3", "botocore", "anthropic", "upstash_vector", "urllib3", "httpx", "httpx2", "requests"}
ADAPTERS = "onthoud.adapters"
MAY_KNOW_ADAPTERS = (ADAPTERS, "onthoud.runtime")
LONGEST_HANDLER = 80
LONGEST_MODULE = 450


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        "onthoud",
        "infra",
        *FUNCTIONS,
        include_external_packages=True,
        exclude_type_checking_imports=True,
        cache_dir=None,
    )


def _under(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _imports(graph: grimp.ImportGraph, importer: str, imported: set[str]) -> list[str]:
    return sorted(
        f"{module} -> {target}"
        for module in graph.modules
        if _under(module, importer)
        for target in graph.find_modules_directly_imported_by(module)
        if any(_under(target, package) for package in imported)
    )


def test_the_library_knows_neither_functions_nor_infra(graph: grimp.ImportGraph) -> None:
    assert _imports(graph, "onthoud", {"infra", *FUNCTIONS}) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_knows_the_library_alone(graph: grimp.ImportGraph, function: str) -> None:
    assert _imports(graph, function, {"infra", *FUNCTIONS} - {function}) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sdks_stay_out_of_functions(graph: grimp.ImportGraph, function: str) -> None:
    assert _imports(graph, function, SDKS) == []


def test_sdks_are_imported_by_adapters_only(graph: grimp.ImportGraph) -> None:
    found = [line for line in _imports(graph, "onthoud", SDKS) if not _under(line.split(" -> ")[0], ADAPTERS)]
    assert found == []


def test_only_handlers_and_other_adapters_choose_adapters(graph: grimp.ImportGraph) -> None:
    """Logic is given its ports by the runtime, the one place that builds them."""
    assert "onthoud.adapters" in graph.modules
    found = [
        line
        for line in _imports(graph, "onthoud", {ADAPTERS})
        if not any(_under(line.split(" -> ")[0], package) for package in MAY_KNOW_ADAPTERS)
    ]
    assert found == []


def _modules() -> list[Path]:
    return sorted(
        path
        for folder in ("shared", "functions", "infra")
        for path in (ROOT / folder).rglob("*.py")
        if "__pycache__" not in path.parts
    )


def test_importing_the_library_brings_no_sdk() -> None:
    # Powertools itself imports the bare package `botocore`, which costs nothing; a session is what an SDK costs.
    everything = [
        path.relative_to(ROOT / "shared").with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        for path in _modules()
        if path.is_relative_to(ROOT / "shared") and "adapters" not in path.parts
    ]
    names = [name for name in everything if not any(_under(name, package) for package in MAY_KNOW_ADAPTERS)]
    program = f"""
import importlib, sys
for name in {names!r}:
    importlib.import_module(name)
print(sorted({{"boto3", "botocore.session", "anthropic", "upstash_vector"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_is_short(function: str) -> None:
    lines = (ROOT / "functions" / function / "app.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_HANDLER


def test_modules_are_short_and_say_what_they_are() -> None:
    wrong = []
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > LONGEST_MODULE:
            wrong.append(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines")
        if not ast.get_docstring(ast.parse(text)):
            wrong.append(f"{path.relative_to(ROOT)}: no docstring")
    assert wrong == []


def test_every_directory_of_tests_is_a_package() -> None:
    """Else pytest would import `tests/unit/booking` as `booking`, in the bot's place."""
    tests = (path for path in (ROOT / "tests").rglob("test_*.py") if ".venv" not in path.parts)
    without = {path.parent for path in tests if not (path.parent / "__init__.py").exists()}
    assert without == set()


def test_a_wrong_dependency_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same look at a package that breaks the rule, so that an empty answer means something."""
    for name, text in (("wrongly", "import infra_like.tool\nimport boto3\n"), ("infra_like", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
    (tmp_path / "infra_like" / "tool.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    graph = grimp.build_graph("wrongly", "infra_like", include_external_packages=True, cache_dir=None)
    assert _imports(graph, "wrongly", {"infra_like", *SDKS}) == ["wrongly -> boto3", "wrongly -> infra_like.tool"]
