"""`wenmai reembed`: what is stored, moved to the embedder of the settings."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError, LibraryNotFound
from tools.messages import Message, Names, say
from wenmai.cli.output.terminal import open_log, print_line
from wenmai.cli.placing import run_local

if TYPE_CHECKING:
    from tools.ports import Embedder, WindowEmbedder
    from wenmai.app.container import Services
    from wenmai.embedders.reembedding import Movable

COLLECTIONS = {"memories": Message("count.memories"), "documents": Message("count.documents")}


@dataclass(frozen=True, slots=True)
class Place:
    """A library or a collection: what it is called, how it is chosen, and the embedder of its vectors."""

    title: str
    option: str
    made_by: tuple[str, int]
    movable: "Movable"

    def is_of(self, embedder: "Embedder") -> bool:
        """Return True if its vectors are this embedder's."""
        from wenmai.embedders.names import same

        name, dimension = self.made_by
        return same(embedder.name, name) and dimension == embedder.dimension


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
    """Move what was chosen, one after the other. Raises InputError for a choice that is none."""
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
                await move(place, services.embedder)
    finally:
        await services.close()


async def places(services: "Services") -> AsyncIterator[Place]:
    """Yield all that has vectors. Raises InputError where they are on a server."""
    from wenmai.stores.edge.passages import EdgePassageStore
    from wenmai.stores.edge.store import EdgeStore

    passages = services.passages
    if not isinstance(passages, EdgePassageStore):
        raise InputError(Message("cli.reembed.on_server"))
    for info in await services.catalog.libraries():
        movable = passages.moving(info.name)
        yield Place(say("library.named", name=info.name), f"-l {info.name}", (info.embedder, info.dimension), movable)
    for name, collection in (("memories", services.memories.collection), ("documents", services.documents.collection)):
        assert isinstance(collection, EdgeStore), "they are where the passages are"
        if (made_by := collection.made_by) is not None:
            yield Place(str(COLLECTIONS[name]), f"--{name}", made_by, collection.moving())


async def move(place: Place, embedder: "WindowEmbedder") -> None:
    """Move one place and say so."""
    from wenmai.cli.output.progress import count_progress
    from wenmai.embedders.reembedding import reembed

    model = say("embedder.with_dimension", name=embedder.name, dimension=embedder.dimension)
    if place.is_of(embedder) and await asyncio.to_thread(place.movable.is_complete):
        print_line(say("cli.reembed.already_current", title=place.title, model=model))
        return
    with count_progress(place.title) as progress:
        done = await reembed(place.movable, embedder, progress)
    kept = say("cli.reembed.done_before", count=done.total - done.embedded) if done.embedded < done.total else ""
    print_line(
        say("cli.reembed.done", title=place.title, total=done.total, model=model, kept=kept, seconds=done.seconds),
        "bold",
    )
