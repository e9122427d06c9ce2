"""One fault, or more, for every rule: a template with it must be found."""

from __future__ import annotations

from tests.template.load import Change, Document


def put(path: str, value: object) -> Change:
    """Return a change that sets the property at a dotted path (numbers are positions in lists)."""

    def change(document: Document) -> None:
        *parents, last = path.split(".")
        place: object = document["Resources"]
        for name in parents:
            place = place[int(name)] if isinstance(place, list) else place[name]  # type: ignore[index]
        if isinstance(place, list):
            place[int(last)] = value
        else:
            place[last] = value  # type: ignore[index]

    return change


def drop(path: str) -> Change:
    """Return a change that removes the property at a dotted path."""

    def change(document: Document) -> None:
        *parents, last = path.split(".")
        place = document["Resources"]
        for name in parents:
            place = place[int(name)] if isinstance(place, list) else place[name]
        if isinstance(place, list):
            del place[int(last)]
        else:
            del place[last]

    return change


def _no_layer(document: Document) -> None:
    del document["Globals"]["Function"]["Layers"]


def _no_alias(document: Document) -> None:
    del document["Globals"]["Function"]["AutoPublishAlias"]


def _on_x86(document: Document) -> None:
    document["Globals"]["Function"]["Architectures"] = ["x86_64"]


def _secret_in_the_environment(document: Document) -> None:
    document["Globals"]["Function"]["Environment"]["Variables"]["ONTHOUD_MODEL_KEY"] = "sk-1"


def _huge_environment(document: Document) -> None:
    document["Globals"]["Function"]["Environment"]["Variables"]["ONTHOUD_OWN_IDS"] = "17841400000000000," * 100


_COMMENTS = "SocialReplyFunction.Properties.Events.Comments.Properties"
_BRIEF = "DailyBriefFunction.Properties.Events.DailyBrief.Properties"
_STATEMENTS = "SocialReplyRole.Properties.Policies.0.PolicyDocument.Statement"

SEEDS: list[tuple[str, str, Change]] = [
    (
        "visibility_is_six_times_the_timeout",
        "short visibility",
        put("CommentsQueue.Properties.VisibilityTimeout", 1079),
    ),
    ("visibility_is_six_times_the_timeout", "long timeout", put("BookingFunction.Properties.Timeout", 181)),
    ("event_sources_report_single_failures", "none", drop(f"{_COMMENTS}.FunctionResponseTypes")),
    ("event_sources_report_single_failures", "misspelt", put(f"{_COMMENTS}.FunctionResponseTypes", ["ReportBatch"])),
    ("event_sources_report_single_failures", "unlimited", drop(f"{_COMMENTS}.ScalingConfig")),
    (
        "event_sources_report_single_failures",
        "reserved concurrency",
        put("SocialReplyFunction.Properties.ReservedConcurrentExecutions", 5),
    ),
    ("source_queues_have_dead_letters", "none", drop("CommentsQueue.Properties.RedrivePolicy")),
    (
        "source_queues_have_dead_letters",
        "few receives",
        put("CommentsQueue.Properties.RedrivePolicy.maxReceiveCount", 3),
    ),
    (
        "source_queues_have_dead_letters",
        "short retention",
        drop("BookingsDeadLetters.Properties.MessageRetentionPeriod"),
    ),
    ("source_queues_have_dead_letters", "standard for FIFO", drop("CommentsDeadLetters.Properties.FifoQueue")),
    (
        "every_delivery_has_dead_letters",
        "rule",
        drop("CommentReceivedRule.Properties.Targets.0.DeadLetterConfig"),
    ),
    ("every_delivery_has_dead_letters", "subscription", drop("EventsSubscription.Properties.RedrivePolicy")),
    ("every_delivery_has_dead_letters", "schedule", drop(f"{_BRIEF}.DeadLetterConfig")),
    ("every_delivery_has_dead_letters", "run", drop("DailyBriefFunction.Properties.EventInvokeConfig")),
    ("schedules_name_a_time_zone_and_a_time", "hour 25", put(f"{_BRIEF}.ScheduleExpression", "cron(30 25 * * ? *)")),
    ("schedules_name_a_time_zone_and_a_time", "UTC by default", drop(f"{_BRIEF}.ScheduleExpressionTimezone")),
    (
        "schedules_name_a_time_zone_and_a_time",
        "no such zone",
        put(f"{_BRIEF}.ScheduleExpressionTimezone", "Europe/Amsterdm"),
    ),
    ("schedules_name_a_time_zone_and_a_time", "fixed name", drop(f"{_BRIEF}.OmitName")),
    ("statements_name_their_resources", "every table", put(f"{_STATEMENTS}.1.Resource", "*")),
    ("statements_name_their_resources", "every action", put(f"{_STATEMENTS}.1.Action", "dynamodb:*")),
    (
        "statements_name_their_resources",
        "every parameter",
        put(f"{_STATEMENTS}.5.Resource", "arn:aws:ssm:eu-west-1:111122223333:parameter/*"),
    ),
    ("statements_name_their_resources", "SAM's own role", drop("SocialReplyFunction.Properties.Role")),
    (
        "roles_allow_what_aws_does_for_them",
        "polling",
        put(f"{_STATEMENTS}.3.Action", ["sqs:DeleteMessage", "sqs:ReceiveMessage"]),
    ),
    (
        "roles_allow_what_aws_does_for_them",
        "another queue",
        put(f"{_STATEMENTS}.3.Resource", {"Fn::GetAtt": ["BookingsQueue", "Arn"]}),
    ),
    (
        "roles_allow_what_aws_does_for_them",
        "running a schedule",
        put("SchedulerRole.Properties.Policies.0.PolicyDocument.Statement.0.Resource", []),
    ),
    (
        "roles_allow_what_aws_does_for_them",
        "a failed run",
        drop("DailyBriefRole.Properties.Policies.0.PolicyDocument.Statement.3"),
    ),
    (
        "resource_policies_name_their_senders",
        "any rule",
        drop("EventsQueuePolicy.Properties.PolicyDocument.Statement.0.Condition"),
    ),
    (
        "resource_policies_name_their_senders",
        "any scheduler",
        drop("SchedulerRole.Properties.AssumeRolePolicyDocument.Statement.0.Condition"),
    ),
    ("logs_end", "for ever", drop("BookingLogs.Properties.RetentionInDays")),
    ("logs_end", "elsewhere", drop("BookingFunction.Properties.LoggingConfig")),
    ("memory_outlives_mistakes", "no recovery", drop("MemoryTable.Properties.PointInTimeRecoverySpecification")),
    ("memory_outlives_mistakes", "no protection", put("MemoryTable.Properties.DeletionProtectionEnabled", False)),
    ("memory_outlives_mistakes", "no expiry", drop("MemoryTable.Properties.TimeToLiveSpecification")),
    (
        "buckets_are_closed",
        "public",
        put("MailBucket.Properties.PublicAccessBlockConfiguration.BlockPublicAcls", False),
    ),
    ("buckets_are_closed", "plain queue", drop("EventsQueue.Properties.SqsManagedSseEnabled")),
    ("functions_run_versions_on_arm", "no layer", _no_layer),
    ("functions_run_versions_on_arm", "no alias", _no_alias),
    ("functions_run_versions_on_arm", "x86", _on_x86),
    ("functions_run_versions_on_arm", "mixed", put("BookingFunction.Properties.Runtime", "python3.12")),
    ("environment_holds_no_secret_and_fits", "secret", _secret_in_the_environment),
    ("environment_holds_no_secret_and_fits", "too large", _huge_environment),
    ("functions_are_watched", "no alarm", drop("BookingErrorsAlarm")),
    ("functions_are_watched", "silent", drop("BookingErrorsAlarm.Properties.AlarmActions")),
]
