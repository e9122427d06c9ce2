"""The probes' handler."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import boto3
from botocore.config import Config

CONFIG = Config(connect_timeout=5, read_timeout=5, retries={"total_max_attempts": 1})


@functools.cache
def client(service):
    """A client that gives up soon."""
    return boto3.client(service, config=CONFIG)


def note(tag, context, **more):
    """Write an item that says what happened, in order."""
    item = {
        "pk": {"S": "note"},
        "sk": {"S": f"{time.time_ns():020d}-{context.aws_request_id}-{tag}"},
        "tag": {"S": tag},
        "at": {"S": datetime.now(UTC).isoformat()},
        "function": {"S": context.function_name},
        "pid": {"N": str(os.getpid())},
        "more": {"S": json.dumps(more)},
    }
    if "expires_at" in more:
        item["expires_at"] = {"N": str(more["expires_at"])}
    client("dynamodb").put_item(TableName=os.environ["ONTHOUD_TABLE"], Item=item)


def do_send_dead(command, record):
    """Put the message on the dead letters, with the reason."""
    client("sqs").send_message(
        QueueUrl=os.environ["DEAD_LETTERS_URL"],
        MessageBody=record["body"],
        MessageGroupId="dead",
        MessageDeduplicationId=record["messageId"],
        MessageAttributes={"reason": {"DataType": "String", "StringValue": "gave up"}},
    )


def do_publish(command, record):
    """Publish on the topic."""
    client("sns").publish(TopicArn=os.environ["TOPIC_ARN"], Message=json.dumps(command["message"]))


def do_forward(command, record):
    """Put something on the ordered queue."""
    client("sqs").send_message(
        QueueUrl=os.environ["ORDERED_QUEUE_URL"],
        MessageBody=json.dumps(command["message"]),
        MessageGroupId="forwarded",
        MessageDeduplicationId=record["messageId"],
    )


def do_fetch(command, record):
    """Read a source over loopback; return what came."""
    try:
        with urllib.request.urlopen(  # noqa: S310 - loopback
            os.environ["ONTHOUD_CHANNEL_URL"].replace("/_channel/channel", command["path"]), timeout=3
        ) as answer:
            return {"status": answer.status, "body": answer.read().decode()}
    except Exception as error:
        return {"error": f"{type(error).__name__} {getattr(error, 'code', '')}".strip()}


def do_mail(command, record):
    """Read the mail bucket."""
    s3, found = client("s3"), {}
    try:
        for entry in s3.list_objects_v2(Bucket=os.environ["MAIL_BUCKET"]).get("Contents", []):
            try:
                found[entry["Key"]] = (
                    s3.get_object(Bucket=os.environ["MAIL_BUCKET"], Key=entry["Key"])["Body"].read().decode()
                )
            except Exception as error:
                found[entry["Key"]] = type(error).__name__
    except Exception as error:
        return {"error": type(error).__name__}
    return found


def do_environment(command, record):
    """Tell what this process sees."""
    return {"environment": dict(os.environ), "path": sys.path, "cwd": str(Path.cwd())}


def do_sleep(command, record):
    """Take real time."""
    time.sleep(command["s"])


def do_exit(command, record):
    """Die."""
    os._exit(3)


def do_print(command, record):
    """Print a line."""
    print(json.dumps({"printed": command["tag"]}))


def do_raise(command, record):
    """Fail."""
    raise RuntimeError("as I was told")


def handler(event, context):
    """Do what each message says; answer as the last `answer` says, or with the failures that messages asked for."""
    records = event.get("Records", [{"body": json.dumps(event), "messageId": ""}])
    failures, answer, has_answer = [], None, False
    for record in records:
        try:
            command = json.loads(record["body"])
        except ValueError:
            command = {}
        kind = command.get("do", "note")
        attributes = record.get("attributes", {})
        more = {
            "receives": attributes.get("ApproximateReceiveCount"),
            "group": attributes.get("MessageGroupId"),
            "batch": len(records),
            "left_ms": context.get_remaining_time_in_millis(),
            "command": command,
            "greeting": os.environ.get("GREETING"),
        }
        if "expires_at" in command:
            more["expires_at"] = command["expires_at"]
        if kind in {"fail", "raise", "sleep", "exit"} and attributes.get("ApproximateReceiveCount") != "0":
            note(command.get("tag", kind), context, **more)
        if kind == "fail" and int(attributes["ApproximateReceiveCount"]) <= command.get("times", 99):
            failures.append({"itemIdentifier": record["messageId"]})
            continue
        if kind == "answer":
            answer, has_answer = command["answer"], True
        work = globals().get(f"do_{kind}")
        result = work(command, record) if work else None
        if kind not in {"fail", "raise", "sleep", "exit"}:
            note(command.get("tag", kind), context, **more, result=result)
    return answer if has_answer else {"batchItemFailures": failures}
