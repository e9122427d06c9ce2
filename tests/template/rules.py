"""What must hold for the deployed stack. Each rule returns its findings; none means that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import available_timezones

from infra.local.template import Resource, Stack
from tests.template.cron import faults_of
from tests.template.load import by_arn

DAY = 86_400
Rule = Callable[[Stack], Iterator[str]]
RULES: dict[str, Rule] = {}

MAY_END_IN_A_WILDCARD = {
    "s3:GetObject": "objects of one bucket",
    "s3:PutObject": "objects of one bucket",
    "ses:SendEmail": "the address that the condition names may belong to any verified identity",
}
"""Actions whose resource may end in `/*`, and why."""


def rule(function: Rule) -> Rule:
    """Register a rule under its function's name."""
    RULES[function.__name__] = function
    return function


def _function_of(mapping: Resource, stack: Stack) -> Resource:
    arn = str(mapping.properties["FunctionName"])
    return next(
        function
        for function in stack.of_type("AWS::Lambda::Function")
        if arn.startswith(function.arn) or arn == function.physical_id
    )


def _dead_letters_of(queue: Resource) -> str:
    return str(queue.properties.get("RedrivePolicy", {}).get("deadLetterTargetArn", ""))


@rule
def visibility_is_six_times_the_timeout(stack: Stack) -> Iterator[str]:
    """Lambda may need several polls for one batch; less, and a message runs twice at the same time."""
    queues = by_arn(stack, "AWS::SQS::Queue")
    for mapping in stack.of_type("AWS::Lambda::EventSourceMapping"):
        queue = queues[mapping.properties["EventSourceArn"]]
        timeout = int(_function_of(mapping, stack).properties["Timeout"])
        window = int(mapping.properties.get("MaximumBatchingWindowInSeconds", 0))
        visibility = int(queue.properties.get("VisibilityTimeout", 30))
        if visibility < 6 * timeout + window:
            yield f"{queue.logical_id}: visibility {visibility} s for a timeout of {timeout} s"


@rule
def event_sources_report_single_failures(stack: Stack) -> Iterator[str]:
    """One bad message must not bring the healthy ones back, and throttled polls must not use up receive counts."""
    for mapping in stack.of_type("AWS::Lambda::EventSourceMapping"):
        if mapping.properties.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{mapping.logical_id}: no partial batch response"
        if "MaximumConcurrency" not in mapping.properties.get("ScalingConfig", {}):
            yield f"{mapping.logical_id}: no maximum concurrency"
        if "ReservedConcurrentExecutions" in _function_of(mapping, stack).properties:
            yield f"{mapping.logical_id}: reserved concurrency throttles polls"
        if "FilterCriteria" in mapping.properties:
            yield f"{mapping.logical_id}: a filter deletes what it does not match"


@rule
def source_queues_have_dead_letters(stack: Stack) -> Iterator[str]:
    """Of the same kind, after at least five receives, and kept longer than the source keeps its messages."""
    queues = by_arn(stack, "AWS::SQS::Queue")
    for mapping in stack.of_type("AWS::Lambda::EventSourceMapping"):
        queue = queues[mapping.properties["EventSourceArn"]]
        target = queues.get(_dead_letters_of(queue))
        if target is None:
            yield f"{queue.logical_id}: no dead-letter queue"
            continue
        if int(queue.properties["RedrivePolicy"]["maxReceiveCount"]) < 5:
            yield f"{queue.logical_id}: fewer than five receives"
        if queue.properties.get("FifoQueue", False) != target.properties.get("FifoQueue", False):
            yield f"{queue.logical_id}: dead letters of another kind"
        kept = int(target.properties.get("MessageRetentionPeriod", 4 * DAY))
        if kept < 14 * DAY or kept <= int(queue.properties.get("MessageRetentionPeriod", 4 * DAY)):
            yield f"{target.logical_id}: kept only {kept} s"


@rule
def every_delivery_has_dead_letters(stack: Stack) -> Iterator[str]:
    """Rules, subscriptions and schedules lose what they cannot deliver; asynchronous runs lose what fails."""
    for event_rule in stack.of_type("AWS::Events::Rule"):
        for target in event_rule.properties["Targets"]:
            if "DeadLetterConfig" not in target:
                yield f"{event_rule.logical_id}: target {target['Id']} without dead letters"
    for subscription in stack.of_type("AWS::SNS::Subscription"):
        if "RedrivePolicy" not in subscription.properties:
            yield f"{subscription.logical_id}: no dead letters"
    configured = {
        str(config.properties["FunctionName"])
        for config in stack.of_type("AWS::Lambda::EventInvokeConfig")
        if config.properties.get("DestinationConfig", {}).get("OnFailure")
    }
    for schedule in stack.of_type("AWS::Scheduler::Schedule"):
        target = schedule.properties["Target"]
        if "DeadLetterConfig" not in target:
            yield f"{schedule.logical_id}: no dead letters"
        function = next(f for f in stack.of_type("AWS::Lambda::Function") if target["Arn"].startswith(f.arn))
        if function.physical_id not in configured:
            yield f"{function.logical_id}: scheduled, and its failures go nowhere"


@rule
def schedules_name_a_time_zone_and_a_time(stack: Stack) -> Iterator[str]:
    """A cron in UTC moves by an hour twice a year; neither SAM nor cfn-lint sees a wrong zone or an hour 25."""
    for schedule in stack.of_type("AWS::Scheduler::Schedule"):
        properties = schedule.properties
        expression = str(properties["ScheduleExpression"])
        yield from (f"{schedule.logical_id}: {fault}" for fault in faults_of(expression))
        if expression.startswith("cron(") and properties.get("ScheduleExpressionTimezone") not in available_timezones():
            yield f"{schedule.logical_id}: no valid time zone"
        if "Name" in properties:
            yield f"{schedule.logical_id}: a fixed name collides between stacks"
        if properties.get("State") not in ("ENABLED", "DISABLED"):
            yield f"{schedule.logical_id}: no state"


def _statements(stack: Stack) -> Iterator[tuple[str, dict[str, Any]]]:
    for role in stack.of_type("AWS::IAM::Role"):
        for policy in role.properties.get("Policies", []):
            for statement in policy["PolicyDocument"]["Statement"]:
                yield f"{role.logical_id}.{statement.get('Sid', '?')}", statement


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


@rule
def statements_name_their_resources(stack: Stack) -> Iterator[str]:
    """Written by hand: no managed policy, no wildcard save those that the table above explains."""
    for role in stack.of_type("AWS::IAM::Role"):
        if role.properties.get("ManagedPolicyArns"):
            yield f"{role.logical_id}: managed policies"
    for name, statement in _statements(stack):
        actions = _listed(statement["Action"])
        yield from (f"{name}: action {action}" for action in actions if "*" in action)
        for resource in _listed(statement["Resource"]):
            allowed = resource.endswith("/*") and all(action in MAY_END_IN_A_WILDCARD for action in actions)
            if "*" in (resource[:-2] if allowed else resource.removesuffix(":*")) or resource == "*":
                yield f"{name}: resource {resource}"


@rule
def resource_policies_name_their_senders(stack: Stack) -> Iterator[str]:
    """A service may write only on behalf of this stack or this account (confused deputy)."""
    for policy in stack.of_type("AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy"):
        for statement in policy.properties["PolicyDocument"]["Statement"]:
            text = str(statement.get("Condition", {}))
            if statement["Effect"] == "Allow" and not re.search(r"aws:Source(Arn|Account)", text):
                yield f"{policy.logical_id}.{statement.get('Sid', '?')}: any sender"
    for role in stack.of_type("AWS::IAM::Role"):
        for statement in role.properties["AssumeRolePolicyDocument"]["Statement"]:
            scheduler = "scheduler" in str(statement["Principal"])
            if scheduler and "aws:SourceAccount" not in str(statement.get("Condition", {})):
                yield f"{role.logical_id}: any account's scheduler"


@rule
def logs_end(stack: Stack) -> Iterator[str]:
    """Lambda's own log groups keep everything for ever."""
    groups = {group.physical_id: group for group in stack.of_type("AWS::Logs::LogGroup")}
    for group in groups.values():
        if "RetentionInDays" not in group.properties:
            yield f"{group.logical_id}: kept for ever"
    for function in stack.of_type("AWS::Lambda::Function"):
        logging = function.properties.get("LoggingConfig", {})
        if logging.get("LogGroup") not in groups or logging.get("LogFormat") != "JSON":
            yield f"{function.logical_id}: logs elsewhere, or not as JSON"


@rule
def memory_outlives_mistakes(stack: Stack) -> Iterator[str]:
    """The table survives a deleted stack, a wrong write, and a forgotten expiry."""
    for table in stack.of_type("AWS::DynamoDB::Table"):
        properties = table.properties
        held = {
            "on demand": properties.get("BillingMode") == "PAY_PER_REQUEST",
            "point-in-time recovery": properties.get("PointInTimeRecoverySpecification", {}).get(
                "PointInTimeRecoveryEnabled"
            ),
            "deletion protection": properties.get("DeletionProtectionEnabled"),
            "time to live": properties.get("TimeToLiveSpecification")
            == {"AttributeName": "expires_at", "Enabled": True},
            "customer-managed key": properties.get("SSESpecification", {}).get("SSEType") == "KMS",
        }
        yield from (f"{table.logical_id}: no {name}" for name, holds in held.items() if not holds)


@rule
def buckets_are_closed(stack: Stack) -> Iterator[str]:
    """Nothing public, everything encrypted, uploads that were begun and left end."""
    for bucket in stack.of_type("AWS::S3::Bucket"):
        block = bucket.properties.get("PublicAccessBlockConfiguration", {})
        if len(block) != 4 or not all(block.values()):
            yield f"{bucket.logical_id}: may be public"
        if "BucketEncryption" not in bucket.properties or "LifecycleConfiguration" not in bucket.properties:
            yield f"{bucket.logical_id}: no encryption or no life cycle"
    for queue in stack.of_type("AWS::SQS::Queue"):
        if queue.properties.get("SqsManagedSseEnabled") is not True:
            yield f"{queue.logical_id}: not encrypted"


@rule
def functions_run_versions_on_arm(stack: Stack) -> Iterator[str]:
    """A published version behind an alias can be rolled back; every source and schedule calls the alias."""
    runtimes = {str(function.properties["Runtime"]) for function in stack.of_type("AWS::Lambda::Function")}
    if len(runtimes) != 1:
        yield f"several runtimes: {sorted(runtimes)}"
    for function in stack.of_type("AWS::Lambda::Function"):
        if function.properties.get("Architectures") != ["arm64"]:
            yield f"{function.logical_id}: not on arm64"
        if not function.properties.get("Layers"):
            yield f"{function.logical_id}: without the layer"
    aliases = {alias.arn for alias in stack.of_type("AWS::Lambda::Alias")}
    callers = [
        (mapping.logical_id, mapping.properties["FunctionName"])
        for mapping in stack.of_type("AWS::Lambda::EventSourceMapping")
    ] + [
        (schedule.logical_id, schedule.properties["Target"]["Arn"])
        for schedule in stack.of_type("AWS::Scheduler::Schedule")
    ]
    yield from (f"{caller}: calls {target}, no alias" for caller, target in callers if target not in aliases)


@rule
def environment_holds_no_secret_and_fits(stack: Stack) -> Iterator[str]:
    """Variables are visible in the console and limited to 4 KB; a long stack name and region must still fit."""
    for function in stack.of_type("AWS::Lambda::Function"):
        variables = function.properties.get("Environment", {}).get("Variables", {})
        for name in variables:
            if re.search(r"(_KEY|_SECRET|_TOKEN|_PASSWORD)$", name):
                yield f"{function.logical_id}: {name} looks like a secret; give the parameter's name"
        size = sum(len(name) + len(str(value).encode()) for name, value in variables.items())
        if size > 3600:
            yield f"{function.logical_id}: environment of {size} bytes leaves too little room"


@rule
def functions_are_watched(stack: Stack) -> Iterator[str]:
    """An alarm for each function's errors and slowness, each dead-letter queue, each source queue's age."""
    watched = {
        (str(alarm.properties.get("MetricName")), str(dimension["Value"]))
        for alarm in stack.of_type("AWS::CloudWatch::Alarm")
        for dimension in alarm.properties.get("Dimensions", [])
    }
    for function in stack.of_type("AWS::Lambda::Function"):
        for metric in ("Errors", "Duration"):
            if (metric, function.physical_id) not in watched:
                yield f"{function.logical_id}: no alarm on {metric}"
    for queue in stack.of_type("AWS::SQS::Queue"):
        dead_letters = "DeadLetters" in queue.logical_id
        metric = "ApproximateNumberOfMessagesVisible" if dead_letters else "ApproximateAgeOfOldestMessage"
        name = queue.arn.rsplit(":", 1)[1]
        if (metric, name) not in watched:
            yield f"{queue.logical_id}: no alarm on {metric}"
    for alarm in stack.of_type("AWS::CloudWatch::Alarm"):
        if not alarm.properties.get("AlarmActions"):
            yield f"{alarm.logical_id}: notifies nobody"


def _allowed(stack: Stack, role_arn: str) -> set[tuple[str, str]]:
    role = by_arn(stack, "AWS::IAM::Role").get(role_arn)
    return {
        (action, resource)
        for policy in (role.properties.get("Policies", []) if role else [])
        for statement in policy["PolicyDocument"]["Statement"]
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    }


@rule
def roles_allow_what_aws_does_for_them(stack: Stack) -> Iterator[str]:
    """Polling a queue, running a schedule, putting a failure away: AWS does it with the roles of this stack."""
    functions = {function.physical_id: function for function in stack.of_type("AWS::Lambda::Function")}
    needed: list[tuple[str, str, str]] = []
    for mapping in stack.of_type("AWS::Lambda::EventSourceMapping"):
        role = str(_function_of(mapping, stack).properties.get("Role"))
        for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"):
            needed.append((role, f"sqs:{action}", mapping.properties["EventSourceArn"]))
    for config in stack.of_type("AWS::Lambda::EventInvokeConfig"):
        role = str(functions[config.properties["FunctionName"]].properties.get("Role"))
        destination = config.properties.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        needed.append((role, "sqs:SendMessage", destination))
    for schedule in stack.of_type("AWS::Scheduler::Schedule"):
        target = schedule.properties["Target"]
        needed.append((target["RoleArn"], "lambda:InvokeFunction", target["Arn"]))
        needed.append((target["RoleArn"], "sqs:SendMessage", target.get("DeadLetterConfig", {}).get("Arn")))
    for function in functions.values():
        group = next(g for g in stack.of_type("AWS::Logs::LogGroup") if g.physical_id in str(function.properties))
        needed.append((str(function.properties.get("Role")), "logs:PutLogEvents", group.arn))
    for role, action, resource in needed:
        if (action, resource) not in _allowed(stack, role):
            yield f"{role.rsplit('/', 1)[-1]} may not {action} on {resource}"
