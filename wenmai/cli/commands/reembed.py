"""`wenmai reembed`: what is stored, moved to the embedder of the settings."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError, LibraryNotFound
from tools.wording import Names, Words
from wenmai.cli.output.terminal import open_log, print_line
from wenmai.cli.placing import run_local

if TYPE_CHECKING:
    from tools.ports import Embedder, WindowEmbedder
    from wenmai.app.container import Services
    from wenmai.embedders.reembedding import Movable

ON_SERVER = Words(
    "服务器上的向量不能直接换嵌入模型：请先用原来的 EMBEDDING_MODEL 运行 wenmai migrate --to embedded，"
    "取消 QDRANT_URL（或 VECTORS）后用新的 EMBEDDING_MODEL 运行 wenmai reembed，再 wenmai migrate --to server",
    "vectors on a server cannot be made anew there: run wenmai migrate --to embedded with the old EMBEDDING_MODEL, "
    "unset QDRANT_URL (or VECTORS), run wenmai reembed with the new EMBEDDING_MODEL, then wenmai migrate --to server",
)
LIBRARY = Words("资料库 {name}", "library {name}")
COLLECTIONS = {"memories": Words("记忆", "memories"), "documents": Words("文档", "documents")}
UNKNOWN = Words(
    "没有可以换嵌入模型的 {names}：请用 wenmai libraries 查看",
    "there is nothing to re-embed as {names}: wenmai libraries lists what there is",
)
WHICH = Words(
    "请指定 -l 资料库、--memories、--documents 或 --all；{state}",
    "name -l LIBRARY, --memories, --documents or --all; {state}",
)
WAITING = Words("现在由别的嵌入模型建成的有：{options}", "made by another embedding model: {options}")
ALL_CURRENT = Words("现在全部都由当前的嵌入模型建成", "all is made by the present embedding model")
MODEL = Words("{name}（{dimension} 维）", "{name} (dimension {dimension})")
SAME = Words("{title}：已经由 {model} 建成，没有变化", "{title}: made by {model} already, nothing changed")
MOVED = Words(
    "{title}：{total} 条改由 {model} 嵌入{kept}，用时 {seconds:.1f} 秒",
    "{title}: {total} embedded by {model}{kept}, in {seconds:.1f} s",
)
KEPT = Words("，其中 {count} 条此前已完成", ", {count} of them before")


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
    library: Annotated[
        list[str] | None, typer.Option("--library", "-l", help="Library to move; several are allowed.")
    ] = None,
    memories: Annotated[bool, typer.Option("--memories", help="Move the memories of all users.")] = False,
    documents: Annotated[bool, typer.Option("--documents", help="Move the uploaded documents.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Move all libraries, memories and documents.")] = False,
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
            raise LibraryNotFound(UNKNOWN.of(names=Names(unknown)))
        if not chosen and not everything:
            options = Names(place.option for place in found if not place.is_of(services.embedder))
            raise InputError(WHICH.of(state=WAITING.of(options=options) if options else ALL_CURRENT))
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
        raise InputError(ON_SERVER)
    for info in await services.catalog.libraries():
        movable = passages.moving(info.name)
        yield Place(LIBRARY.say(name=info.name), f"-l {info.name}", (info.embedder, info.dimension), movable)
    for name, collection in (("memories", services.memories.collection), ("documents", services.documents.collection)):
        assert isinstance(collection, EdgeStore), "they are where the passages are"
        if (made_by := collection.made_by) is not None:
            yield Place(COLLECTIONS[name].say(), f"--{name}", made_by, collection.moving())


async def move(place: Place, embedder: "WindowEmbedder") -> None:
    """Move one place and say so."""
    from wenmai.cli.output.progress import count_progress
    from wenmai.embedders.reembedding import reembed

    model = MODEL.say(name=embedder.name, dimension=embedder.dimension)
    if place.is_of(embedder) and await asyncio.to_thread(place.movable.is_complete):
        print_line(SAME.say(title=place.title, model=model))
        return
    with count_progress(place.title) as progress:
        done = await reembed(place.movable, embedder, progress)
    kept = KEPT.say(count=done.total - done.embedded) if done.embedded < done.total else ""
    print_line(MOVED.say(title=place.title, total=done.total, model=model, kept=kept, seconds=done.seconds), "bold")
