"""`wenmai migrate`: what is stored, copied to other engines. `wenmai reembed`: moved to another embedder."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tools.errors import ConfigError, InputError, LibraryNotFound, StoreError
from tools.messages import Message, Names, say
from wenmai.cli.output.terminal import err, open_log, print_line, print_table, remark
from wenmai.cli.placing import run_local

if TYPE_CHECKING:
    from tools.ports import Embedder, WindowEmbedder
    from wenmai.app.container import Services
    from wenmai.app.engines import Passages
    from wenmai.migration import Moved, Progress, Side
    from wenmai.settings.settings import Settings
    from wenmai.stores.edge.reembedding import EdgeMove

To = Literal["server", "embedded"]
KINDS = {
    "passages": Message("count.passages"),
    "chapters": Message("count.chapters"),
    "notes": Message("count.catalog_records"),
    "summaries": Message("count.summaries"),
    "graph": Message("count.graph_records"),
    "memories": Message("count.memories"),
    "documents": Message("count.document_chunks"),
}
COLLECTIONS = {"memories": Message("count.memories"), "documents": Message("count.documents")}


def migrate(
    to: Annotated[To, typer.Option("--to", help="help.migrate.to")],
    library: Annotated[str | None, typer.Argument(help="help.migrate.library")] = None,
    memories: Annotated[bool, typer.Option("--memories", help="help.migrate.memories")] = False,
    documents: Annotated[bool, typer.Option("--documents", help="help.migrate.documents")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="help.migrate.replace")] = False,
) -> None:
    """Copy a library between the embedded engines and servers, with its vectors, and compare both sides.

    An interrupted copy goes on where it was. The source stays: delete it when you no longer need it.
    """
    if library is None and not memories and not documents:
        raise InputError(Message("cli.migrate.what_to_copy"))
    with part_progress() as progress:
        moved = run_local(copy_to(to, library, memories, documents, progress, replacing=replace))
    print_table(Message("cli.migrate.columns"), map(row_of, moved))
    if not moved:
        print_line(say("cli.migrate.nothing_to_copy"))
    if any(not one.is_same for one in moved):
        raise StoreError(Message("cli.migrate.sides_differ"))


async def copy_to(
    to: To, library: str | None, memories: bool, documents: bool, progress: "Progress", *, replacing: bool = False
) -> "list[Moved]":
    from wenmai.app.container import Services
    from wenmai.migration import move_documents, move_memories
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    if not settings.has_servers:
        raise ConfigError(Message("cli.migrate.no_server"))
    server, embedded = Services(settings), Services(settings.without_servers())
    source, target = (embedded, server) if to == "server" else (server, embedded)
    moved: list[Moved] = []
    try:
        await server.opening.open_embedder()
        embedder = server.embedder
        if library is not None:
            await source.catalog.require_embedder(library, embedder.name, embedder.dimension)
            moved += await copy_library(source, target, settings, library, progress, replacing)
        if memories and settings.has_server_vectors:
            await source.memories.collection.require_embedder(embedder.dimension)
            moved.append(await move_memories(source.memories, target.memories, progress))
            await target.memories.collection.optimize()
        if documents and settings.has_server_vectors:
            await source.documents.collection.require_embedder(embedder.dimension)
            moved.append(await move_documents(source.documents, target.documents, progress))
            await target.documents.collection.optimize()
    finally:
        await server.close()
        await embedded.close()
    return moved


async def copy_library(
    source: "Services", target: "Services", settings: "Settings", library: str, progress: "Progress", replacing: bool
) -> "list[Moved]":
    """Copy a library while nobody else changes it on either side. Raises StoreError."""
    from wenmai.migration import move_library, require_replaceable

    pair = sides(source, target, settings)
    transfer_from = await source.catalog.owner() if target.settings.has_servers else None
    async with source.libraries.writing(library):
        if not replacing:  # asked before anything that servers have becomes the target's
            await require_replaceable(*pair, library)
        async with target.libraries.writing(library, transfer_from):
            moved = await move_library(*pair, library, progress, replacing=replacing)
    await passages_of(source, target, settings).optimize(library)
    return moved


def sides(source: "Services", target: "Services", settings: "Settings") -> "tuple[Side, Side]":
    """Return both sides; a store that no setting moves is the same one on both."""
    from wenmai.ingestion.contracts import Stores
    from wenmai.migration import Side

    catalog = target.catalog if settings.has_postgres_catalog else source.catalog
    passages = passages_of(source, target, settings)
    graph = target.graph if settings.neo4j_uri else source.graph
    there = Stores(passages=source.passages, graph=source.graph, catalog=source.catalog)
    here = Stores(passages=passages, graph=graph, catalog=catalog)
    return Side(stores=there, catalog=source.catalog), Side(stores=here, catalog=catalog)


def passages_of(source: "Services", target: "Services", settings: "Settings") -> "Passages":
    """Return the target's passages; without a server of vectors they are the source's: one process opens them once."""
    return target.passages if settings.has_server_vectors else source.passages


@contextmanager
def part_progress() -> "Iterator[Progress]":
    """Yield the progress callback of a copy: a bar on a terminal, a line at its end elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

    console = err()
    if not console.is_terminal:
        yield lambda part, done, total: remark(f"{KINDS[part]} {done}") if done == total else None
        return
    bars: dict[str, TaskID] = {}
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console) as progress:

        def show_part(part: str, done: int, total: int | None) -> None:
            if part not in bars:
                bars[part] = progress.add_task(str(KINDS[part]), total=total)
            progress.update(bars[part], completed=done, total=total)

        yield show_part


def row_of(moved: "Moved") -> tuple[str, ...]:
    same = say("cli.migrate.same") if moved.is_same else say("cli.migrate.differs", checksum=moved.target.checksum)
    counts = map(str, (moved.source.count, moved.target.count, moved.written))
    return str(KINDS[moved.kind]), *counts, moved.source.checksum, same


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """A library or a collection: what it is called, how it is chosen, and the embedder of its vectors."""

    title: str
    option: str
    made_by: tuple[str, int]
    movable: "EdgeMove"

    def is_of(self, embedder: "Embedder") -> bool:
        return self.made_by == (embedder.name, embedder.dimension)


def reembed(
    library: Annotated[list[str] | None, typer.Option("--library", "-l", help="help.reembed.library")] = None,
    memories: Annotated[bool, typer.Option("--memories", help="help.reembed.memories")] = False,
    documents: Annotated[bool, typer.Option("--documents", help="help.reembed.documents")] = False,
    everything: Annotated[bool, typer.Option("--all", help="help.reembed.everything")] = False,
) -> None:
    """Make the vectors anew with the embedder of EMBEDDING_MODEL, after you changed it; texts and graph stay.

    The old vectors serve until the new ones are whole. A run that was interrupted goes on where it stopped.
    """
    chosen = {f"-l {name}" for name in library or []}
    chosen |= {f"--{name}" for name, wanted in (("memories", memories), ("documents", documents)) if wanted}
    run_local(move_chosen(chosen, everything))


async def move_chosen(chosen: set[str], everything: bool) -> None:
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    open_log(services.settings)
    try:
        await services.opening.open_embedder()
        found = [place async for place in places(services)]
        unknown = sorted(chosen - {place.option for place in found} - {f"--{name}" for name in COLLECTIONS})
        if unknown:
            raise LibraryNotFound(Message("cli.reembed.unknown_names", names=Names(unknown)))
        if not chosen and not everything:
            options = Names(place.option for place in found if not place.is_of(services.embedder))
            raise InputError(
                Message(
                    "cli.reembed.what_to_reembed",
                    state=Message("cli.reembed.waiting", options=options)
                    if options
                    else Message("cli.reembed.all_current"),
                )
            )
        for place in found:
            if everything or place.option in chosen:
                await reembed_place(place, services.embedder)
    finally:
        await services.close()


async def places(services: "Services") -> AsyncIterator[VectorPlace]:
    from wenmai.stores.edge.collections import EdgeCollection
    from wenmai.stores.edge.passages import EdgePassageStore

    passages = services.passages
    if not isinstance(passages, EdgePassageStore):
        raise InputError(Message("cli.reembed.on_server"))
    for info in await services.catalog.libraries():
        movable = passages.moving(info.name)
        yield VectorPlace(
            say("library.named", name=info.name), f"-l {info.name}", (info.embedder, info.dimension), movable
        )
    for name, collection in (("memories", services.memories.collection), ("documents", services.documents.collection)):
        assert isinstance(collection, EdgeCollection), "they are where the passages are"
        if (made_by := collection.made_by) is not None:
            yield VectorPlace(str(COLLECTIONS[name]), f"--{name}", made_by, collection.moving())


async def reembed_place(place: VectorPlace, embedder: "WindowEmbedder") -> None:
    from wenmai.cli.output.live import count_progress
    from wenmai.stores.edge import reembedding

    model = say("embedder.with_dimension", name=embedder.name, dimension=embedder.dimension)
    if place.is_of(embedder):
        print_line(say("cli.reembed.already_current", title=place.title, model=model))
        return
    with count_progress(place.title) as progress:
        done = await reembedding.reembed(place.movable, embedder, progress)
    kept = say("cli.reembed.done_before", count=done.total - done.embedded) if done.embedded < done.total else ""
    print_line(
        say("cli.reembed.done", title=place.title, total=done.total, model=model, kept=kept, seconds=done.seconds),
        "bold",
    )
