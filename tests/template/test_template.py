"""What SAM and CloudFormation make of the template, and that code and template name the same things."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from cfnlint import ManualArgs
from cfnlint.api import lint

from infra.local.template import Stack
from onthoud.delivery.decisions import Outcome
from onthoud.settings import Settings
from tests.template.load import ROOT, TEMPLATE, Document, changed, source, stack, transformed
from tests.template.seeds import put

REGION = "eu-west-1"
CODE = re.compile(r"[A-Z_]*ONTHOUD_[A-Z0-9_]+")


@pytest.fixture(scope="module")
def document() -> Document:
    return transformed()


@pytest.fixture(scope="module")
def deployed() -> Stack:
    return stack()


def findings(document: Document) -> list[str]:
    matches = lint(json.dumps(document), config=ManualArgs(regions=[REGION]))
    return [f"{match.rule.id} {match.message} {match.path}" for match in matches]


def test_what_sam_makes_of_it_lints_clean(document: Document) -> None:
    assert findings(document) == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (put("SocialReplyFunction.Properties.Runtime", "python9.9"), "E3030"),
        (put("CommentsQueue.Properties.VisibilityTimeout", 99999), "E3034"),
        (put("MemoryTable.Properties.Keyschema", []), "E3002"),
    ],
)
def test_lint_sees_what_cloudformation_would_refuse(fault: Any, code: str, tmp_path: Path) -> None:
    found = findings(transformed(changed(tmp_path, fault)))
    assert any(line.startswith(code) for line in found), found


def test_what_holds_data_is_retained(document: Document) -> None:
    kept = {
        name
        for name, resource in document["Resources"].items()
        if resource.get("DeletionPolicy") == resource.get("UpdateReplacePolicy") == "Retain"
    }
    assert kept >= {"MemoryTable", "BriefsBucket", "MailBucket", "KnowledgeBucket"}


def test_without_the_knowledge_base_nothing_of_it_is_created() -> None:
    created = stack(KnowledgeBase="off").resources
    assert [name for name in created if name.startswith("Knowledge")] == []
    assert {name.removesuffix("Function") for name in stack().resources} >= {"KnowledgeBucket", "KnowledgeSync"}


def test_the_stack_needs_no_key_topic_or_slack_by_default() -> None:
    bare = stack(KnowledgeBase="off", KmsKeyArn="", AlarmTopicArn="", SlackWebhookParameter="", BriefEmailFrom="")
    assert "SSESpecification" not in bare.resources["MemoryTable"].properties
    assert "AlarmActions" not in bare.resources["IngestErrorsAlarm"].properties


def test_every_handler_exists(deployed: Stack) -> None:
    missing = []
    for function in deployed.of_type("AWS::Lambda::Function"):
        package, module, name = str(function.properties["Handler"]).split(".")
        path = ROOT / "functions" / package / f"{module}.py"
        names = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        if name not in names:
            missing.append(f"{path}: {name}")
    assert missing == []


def _variables(deployed: Stack) -> set[str]:
    return {
        name
        for function in deployed.of_type("AWS::Lambda::Function")
        for name in function.properties["Environment"]["Variables"]
        if name.startswith("ONTHOUD_")
    }


def _names_in_code() -> set[str]:
    files = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "shared" / "onthoud").rglob("*.py")]
    return {name for file in files for name in CODE.findall(file.read_text(encoding="utf-8")) if name != "ONTHOUD_"}


def _settings_models() -> set[str]:
    """Names that pydantic derives: fields of the models whose variables start with ONTHOUD_."""
    names = {f"ONTHOUD_{field.upper()}" for field in Settings.model_fields}
    for file in (ROOT / "functions").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
                fields = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
                names |= {f"ONTHOUD_{field.id.upper()}" for field in fields if isinstance(field, ast.Name)}
    return names


def test_every_setting_is_a_variable_of_the_template(deployed: Stack) -> None:
    assert _settings_models() - _variables(deployed) == set()


def test_every_variable_of_the_template_is_read(deployed: Stack) -> None:
    assert _variables(deployed) - _settings_models() - _names_in_code() == set()


def test_defaults_of_template_and_settings_agree() -> None:
    """Time zones aside: the template's are for a first deployment, the model's for no template at all."""
    declared = source()["Parameters"]
    variables = source()["Globals"]["Function"]["Environment"]["Variables"]
    differing = {}
    for field, information in Settings.model_fields.items():
        value = variables.get(f"ONTHOUD_{field.upper()}")
        parameter = declared.get(value["Ref"]) if isinstance(value, dict) and "Ref" in value else None
        if parameter is None or field.endswith("time_zone") or field == "channel_url":
            continue
        given = {f"ONTHOUD_{field.upper()}": str(parameter["Default"]), "ONTHOUD_TABLE": "memory"}
        if getattr(Settings.from_environment(given), field) != information.default:
            differing[field] = (parameter["Default"], information.default)
    assert differing == {}


def test_the_readme_documents_every_parameter() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in source()["Parameters"] if f"`{name}`" not in readme] == []


def test_parameters_are_described_and_used(document: Document) -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, parameter in document["Parameters"].items():
        assert parameter.get("Description"), name
        assert re.search(rf"!Ref {name}\b|\$\{{{name}\}}", text), f"{name} is not used"
    grouped = [name for group in _interface()["ParameterGroups"] for name in group["Parameters"]]
    assert sorted(grouped) == sorted(document["Parameters"])


def _interface() -> dict[str, Any]:
    interface: dict[str, Any] = source()["Metadata"]["AWS::CloudFormation::Interface"]
    return interface


@pytest.mark.parametrize("url", ["http://example.com", "ftp://example.com", ""])
def test_the_channel_speaks_https_only(url: str) -> None:
    pattern = source()["Parameters"]["ChannelUrl"]["AllowedPattern"]
    assert not re.fullmatch(pattern, url)
    assert re.fullmatch(pattern, "https://example.com/hook")


def test_no_resource_has_a_name_of_its_own(document: Document) -> None:
    named = re.compile(r"^(TableName|QueueName|TopicName|BucketName|FunctionName|RoleName|AlarmName|DashboardName)$")
    creates = {"AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::S3::Bucket", "AWS::IAM::Role"}
    creates |= {"AWS::DynamoDB::Table", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}
    fixed = [
        f"{logical_id}.{name}"
        for logical_id, resource in document["Resources"].items()
        if resource["Type"] in creates
        for name in resource.get("Properties", {})
        if named.match(name)
    ]
    assert fixed == []


def test_alarms_and_dashboard_show_metrics_that_the_code_writes() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    own = set(re.findall(r"Namespace: !Sub Onthoud/.+\n +MetricName: (\w+)", text))
    assert {"ModelOverloaded", "BriefDelivered"} <= own
    own |= {name for group in re.findall(r"MetricName=\(([^)]+)\)", text) for name in group.split(" OR ")}
    files = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "shared" / "onthoud").rglob("*.py")]
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    counted = set(re.findall(r'count\("(\w+)"', code)) | {outcome.capitalize() for outcome in get_args(Outcome)}
    assert own - counted == set()
