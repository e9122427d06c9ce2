"""The same turns with two other packages, on the same engine. Runs in the environment of this directory's lock file.

Prints JSON: for each package and length of history what one exchange (read the history, store the question and the
answer) asks of DynamoDB. `DynamoDBChatMessageHistory` is used as RunnableWithMessageHistory does: read, then add both.
`DynamoDBSaver` is used as LangGraph does: a graph of one node is run with the saver as its checkpointer.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from typing import Any

import boto3

warnings.filterwarnings("ignore")

from langchain_community.chat_message_histories import DynamoDBChatMessageHistory  # noqa: E402
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage  # noqa: E402
from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: E402
from langgraph_checkpoint_aws import DynamoDBSaver  # noqa: E402

from tests.bench.wire import Wire  # noqa: E402

HISTORY_TABLE, SAVER_TABLE = "peer-history", "peer-checkpoints"


def _create(client: Any, name: str, *keys: str) -> None:
    kinds = ("HASH", "RANGE")
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, kinds, strict=False)],
    )


def _earlier(given: dict[str, Any], turns: int) -> list[AnyMessage]:
    kinds = (HumanMessage, AIMessage)
    texts = (given["question"], given["answer"])
    return [kinds[number % 2](content=texts[number % 2]) for number in range(turns)]


class History:
    """DynamoDBChatMessageHistory: all messages in one item."""

    package = "langchain-community"
    name = "DynamoDBChatMessageHistory"

    def __init__(self, session: Any, given: dict[str, Any], turns: int) -> None:
        self._given = given
        self._new = lambda: DynamoDBChatMessageHistory(HISTORY_TABLE, f"s-{turns}", boto3_session=session)
        self._new().add_messages(_earlier(given, turns))
        self._history = self._new()

    def exchange(self) -> int:
        """Read what was said, then store question and answer; return how many turns were read."""
        read = len(self._history.messages)
        self._history.add_messages(
            [HumanMessage(content=self._given["asked"]), AIMessage(content=self._given["answer"])]
        )
        return read


class Saver:
    """DynamoDBSaver: the whole state at each step."""

    package = "langgraph-checkpoint-aws"
    name = "DynamoDBSaver"

    def __init__(self, session: Any, given: dict[str, Any], turns: int) -> None:
        self._given = given
        graph = StateGraph(MessagesState)
        graph.add_node("reply", lambda state: {"messages": [AIMessage(content=given["answer"])]})
        graph.add_edge(START, "reply")
        graph.add_edge("reply", END)
        self._graph = graph.compile(checkpointer=DynamoDBSaver(SAVER_TABLE, session=session))
        self._config: Any = {"configurable": {"thread_id": f"s-{turns}"}}
        self._graph.update_state(self._config, {"messages": _earlier(given, turns)}, as_node="reply")

    def exchange(self) -> int:
        """Run the graph on a question; return how many turns it had before."""
        asked = {"messages": [HumanMessage(content=self._given["asked"])]}
        return len(self._graph.invoke(asked, self._config)["messages"]) - 2


def main(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Measure both; return per package, history and round what one exchange took."""
    session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name="eu-west-1")
    client = session.client("dynamodb")
    wire = Wire()
    _create(client, HISTORY_TABLE, "SessionId")
    _create(client, SAVER_TABLE, "PK", "SK")
    wire.attach(session.events)
    found = []
    for peer in (History, Saver):
        for turns in given["histories"]:
            try:
                found += _rounds(peer(session, given, turns), wire, given["rounds"], turns)
            except Exception as error:  # an item over 400 KB, say: that is a figure too
                found.append({"peer": peer.name, "history": turns, "failed": f"{type(error).__name__}: {error}"[:300]})
    return [
        {**row, "version": f"{row['package']} {version(row['package'])}"} if "package" in row else row for row in found
    ]


def _rounds(peer: History | Saver, wire: Wire, rounds: int, turns: int) -> list[dict[str, Any]]:
    found = []
    for position in range(rounds + 1):  # as with Onthoud, the first round does not count
        wire.clear()
        read = peer.exchange()
        if position:
            row = {"peer": peer.name, "package": peer.package, "history": turns, "read": read}
            found.append({**row, **wire.figures()})
    return found


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
