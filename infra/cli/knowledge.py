"""`onthoud knowledge`: the knowledge base brought into step, looked at, and asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infra.cli import show
from infra.cli.session import Session, session_of
from onthoud.clock import iso
from onthoud.errors import NotFound, PermanentError

if TYPE_CHECKING:
    from onthoud.memory.knowledge.keeper import Keeper, Report
    from onthoud.memory.knowledge.records import Passage
    from onthoud.memory.knowledge.search import Knowledge
    from onthoud.memory.knowledge.sync import Outcome

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"

app = typer.Typer(
    name="knowledge",
    help="The knowledge base: the documents in the bucket, and what is found in them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(program: typer.Typer) -> None:
    """Add the commands."""
    program.add_typer(app)


@app.command()
def sync(
    ctx: typer.Context,
    delete_missing: Annotated[
        bool, typer.Option("--delete-missing", help="Delete what a suspicious listing misses. Look at `status` first.")
    ] = False,
    json: show.AsJson = False,
) -> None:
    """Compare bucket, manifests and index, and bring them into step; only what has changed is embedded."""
    session = session_of(ctx)
    keeper = _keeper(session)
    with show.progress() as bar:
        task = bar.add_task("documents", total=None)

        def told(done: int, total: int, outcome: Outcome) -> None:
            bar.update(task, completed=done, total=total, description=show.short(outcome.document, 40))

        report = keeper.reconcile(delete_held=delete_missing, progress=told)
    found = _report(report)
    if json:
        show.as_json(found)
    else:
        show.pairs([(name.replace("_", " "), value) for name, value in found.items() if not isinstance(value, dict)])
        for document, reason in found["failed"].items():
            show.line(f"not in step: {document}: {reason}")
        if report.held:
            show.line(
                "Many documents are missing from the bucket. If that is meant: onthoud knowledge sync --delete-missing"
            )
    if report.failed or report.held:
        raise typer.Exit(1)


@app.command()
def status(ctx: typer.Context, json: show.AsJson = False) -> None:
    """Print what the knowledge base holds, and what is not in order."""
    session = session_of(ctx)
    _knowledge(session)
    manifests, state, info = (
        session.runtime.manifests,
        session.runtime.manifests.state(),
        session.runtime.vectors.info(),
    )
    documents = list(manifests.all())
    found: dict[str, Any] = {
        "documents": len(documents),
        "chunks": sum(len(one.ids) for one in documents),
        "records": info.records,
        "pending": info.pending,
        "model": info.dense_model,
        "sparse_model": info.sparse_model,
        "indexed_with": state.generation.model if state.generation else None,
        "chunker": state.generation.chunker if state.generation else None,
        "noise_floor": state.floor,
        "reconciled_at": iso(state.reconciled_at) if state.reconciled_at else None,
        "held": list(state.held),
        "unfinished": [one.document for one in documents if not one.settled],
        "unreadable": {one.document: one.failure for one in documents if one.failure},
    }
    if json:
        show.as_json(found)
        return
    show.pairs([(name.replace("_", " "), value) for name, value in found.items() if not isinstance(value, list | dict)])
    for name in ("held", "unfinished"):
        for document in found[name]:
            show.line(f"{name}: {document}")
    for document, reason in found["unreadable"].items():
        show.line(f"unreadable: {document}: {reason}")
    if not info.sparse_model:
        show.line("The index has no sparse half: exact words (names, codes) are found less often.")


@app.command()
def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="The question, in any language.")],
    json: show.AsJson = False,
) -> None:
    """Ask the knowledge base as the bots do; what is printed is what they would be shown."""
    passages = _knowledge(session_of(ctx)).search(query)
    if json:
        show.as_json([_passage(one) for one in passages])
        return
    if not passages:
        show.line("Nothing relevant: the bot would say that it does not know. `onthoud knowledge explain` shows why.")
    for one in passages:
        show.line(f"{one.document} › {one.section}" if one.section else one.document)
        show.pairs([("id", one.id), ("score", f"{one.score:.2f}"), ("text", one.text)], indent=2)


@app.command()
def explain(
    ctx: typer.Context,
    what: Annotated[str, typer.Argument(metavar="QUESTION|DOCUMENT", help="A question, or a document's key.")],
    json: show.AsJson = False,
) -> None:
    """Tell why a question finds what it finds, or what is known of a document."""
    session = session_of(ctx)
    knowledge = _knowledge(session)
    manifest = session.runtime.manifests.get(what)
    found = _explained_document(session, what) if manifest else _explained_question(knowledge, what)
    if json:
        show.as_json(found)
        return
    show.pairs([(name.replace("_", " "), value) for name, value in found.items() if not isinstance(value, list)])
    columns = ["id", "section", "text"] if manifest else ["id", "likeness", "score", "relevant", "document", "section"]
    rows = found["chunks" if manifest else "nearest"]
    show.table(columns, [[show.short(str(row[name]), 80) for name in columns] for row in rows], empty="Nothing found.")


# -- inside ----------------------------------------------------------------------------------------------------------


def _knowledge(session: Session) -> Knowledge:
    knowledge = session.runtime.knowledge
    if knowledge is None:
        raise PermanentError("this stack has no knowledge base: set the parameter KnowledgeBase to on")
    return knowledge


def _keeper(session: Session) -> Keeper:
    # The parsers belong to the function and travel with it; a development checkout has them beside this program.
    if str(FUNCTIONS) not in sys.path:
        sys.path.append(str(FUNCTIONS))
    try:
        from knowledge_sync.parsers import parse
    except ImportError:
        raise NotFound("the document parsers are not installed: run `uv sync` in the project's checkout") from None
    return session.runtime.knowledge_keeper(parse)


def _report(report: Report) -> dict[str, Any]:
    from onthoud.memory.knowledge.sync import Action

    repair = report.repair
    return {
        "indexed": report.count(Action.INDEXED),
        "deleted": report.count(Action.DELETED),
        "unreadable": report.count(Action.UNREADABLE),
        "chunks_embedded": report.embedded,
        "orphans_removed": repair.orphans if repair else 0,
        "chunks_restored": repair.restored if repair else 0,
        "index_equals_manifests": repair.equal if repair else None,
        "deletions_held": len(report.held),
        "failed": report.failed,
    }


def _passage(one: Passage) -> dict[str, Any]:
    return {
        "id": one.id,
        "document": one.document,
        "title": one.title,
        "section": one.section,
        "text": one.text,
        "score": round(one.score, 4),
        "likeness": round(one.likeness, 4),
    }


def _explained_question(knowledge: Knowledge, question: str) -> dict[str, Any]:
    answer = knowledge.answer(question)
    chosen = {one.id for one in answer.passages}
    return {
        "question": question,
        "in_use": answer.in_use,
        "noise_floor": answer.floor,
        "relevant": len(chosen),
        "nearest": [{**_passage(one), "relevant": one.id in chosen} for one in answer.nearest],
    }


def _explained_document(session: Session, document: str) -> dict[str, Any]:
    manifests = session.runtime.manifests
    manifest = manifests.get(document)
    if manifest is None:
        raise NotFound("no such document")
    texts = manifests.passages([(document, name) for name in manifest.ids], manifest.namespace)
    there = session.runtime.vectors.present(manifest.namespace, manifest.ids) if manifest.ids else frozenset()
    return {
        "document": document,
        "title": manifest.title,
        "version": manifest.etag,
        "settled": manifest.settled,
        "failure": manifest.failure or None,
        "updated_at": iso(manifest.updated_at) if manifest.updated_at else None,
        "in_the_index": f"{len(there)} of {len(manifest.ids)} chunks",
        "chunks": [_passage(texts[name]) for name in manifest.ids if name in texts],
    }
