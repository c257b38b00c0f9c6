"""Libraries: which there are, what they hold, and their deletion."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated

from pydantic import BaseModel, Field

from state.context import Language
from tools.records import Horizon, LibraryInfo
from tools.story.chapters.guard import library_as_read
from tools.wording import Words
from wenmai.app.container import Services
from wenmai.app.deleting import KINDS as COUNTED
from wenmai.app.deleting import deleted_whole
from wenmai.app.leftovers import Leftovers
from wenmai.application.models.paging import Guard, GuardedPaging, Page, Strict, page_of
from wenmai.errors import LibraryNotFound, StoreError
from wenmai.inputs import FieldError
from wenmai.stores.files.folder import check_name
from wenmai.web.api.access import horizon_for, services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource

TAKEN = Words("资料库 {name} 已经存在", "there is a library {name} already")
CONFLICT = 409
KINDS = ("entities", "relations", "events")
resource = Resource("libraries")


class Library(BaseModel):
    """A library with its counts; `problem` says why it cannot be asked now, null where it can."""

    name: str = Field(examples=["sample"])
    title: str
    authors: list[str] = Field(description="As the files of its texts name them")
    language: Language
    embedder: str
    sources: list[str] = Field(description="The ids of its texts, as citations name them")
    chapters: int
    passages: int
    entities: int | None = None
    relations: int | None = None
    events: int | None = None
    problem: str | None = None


class NewLibrary(Strict):
    """A library to be made; texts are added by `POST /libraries/{library}/sources`."""

    name: Annotated[str, Field(description="Letters, digits, Chinese characters, - and _", examples=["honglou"])]
    title: str = Field(min_length=1, max_length=200, examples=["红楼梦"])
    language: Language = "zh"


class Receipt(BaseModel):
    """What a deletion took; null where it could not be read."""

    library: str
    source: str | None = None
    passages: int | None
    chapters: int | None
    entities: int | None
    relations: int | None
    events: int | None
    answers: int | None = Field(description="Kept answers of models that read its texts")
    threads: int = Field(description="Conversations that asked the library")
    traces: int = Field(description="Traces of questions to it")
    is_cleared: bool = Field(default=False, description="Whether these are deleted, too; else they still quote it")


class DeletionQuery(Strict):
    """What goes with a library."""

    everything: bool = Field(default=False, description="Also the conversations and traces of questions to it")


@resource.get("/libraries", "List libraries")
async def listed(call: Call[GuardedPaging, None]) -> Page[Library]:
    """List the libraries that the key opens, by name."""
    services, who = await services_of(call), viewer(call)
    known = [one for one in await services.catalog.libraries() if who.libraries is None or one.name in who.libraries]
    page = page_of(known, call.query)
    shown: list[Library] = []
    for one in page.items:
        with suppress(LibraryNotFound):  # it has gone since
            horizon = None if one.problem else await horizon_for(call, one.name)
            shown.append(await described(services, one, horizon))
    return Page(items=shown, total=page.total, next=page.next)


@resource.get("/libraries/{library}", "Get a library")
async def one(call: Call[Guard, None]) -> Library:
    """Return one library with its counts."""
    library, services = call.part("library"), await services_of(call)
    viewer(call).require_library(library)
    return await described(services, await services.catalog.info(library), await horizon_for(call, library))


@resource.post("/libraries", "Make a library", status=201, is_for_admins=True)
async def made(call: Call[None, NewLibrary]) -> Library:
    """Make an empty library. Needs a key with the right to administer."""
    new, services, who = call.body, await services_of(call), viewer(call)
    check_name(new.name)
    who.require_library(new.name)
    if any(one.name == new.name for one in await services.catalog.libraries()):
        raise FieldError("name", TAKEN.of(name=new.name), CONFLICT)
    dimension = await services.opening.dimension()
    async with services.libraries.writing(new.name):
        info = await services.catalog.create(new.name, new.title, services.embedder.name, dimension, new.language)
    return await described(services, info)


@resource.delete("/libraries/{library}", "Delete a library", is_for_admins=True)
async def removed(call: Call[DeletionQuery, None]) -> Receipt:
    """Delete a library from vectors, graph and catalog; answer with what was there. Needs the right to administer.

    Conversations that asked it, whoever's, and their traces still quote it; they stay unless `everything` is true.
    """
    who, services, library = viewer(call), await services_of(call), call.part("library")
    who.require_library(library)
    everything = call.query.everything
    counts, left = await deleted_whole(services, check_name(library), everything=everything)
    receipt = receipt_of(library, None, {**dict.fromkeys(COUNTED, 0), **counts}, left)
    return receipt.model_copy(update={"is_cleared": everything})


def receipt_of(library: str, source: str | None, counts: Mapping[str, int | None], left: Leftovers) -> Receipt:
    """Return what is shown of a deletion."""
    named = {"threads": len(left.threads), "traces": len(left.traces)}
    return Receipt.model_validate({"library": library, "source": source, **counts, **named})


async def described(services: Services, info: LibraryInfo, horizon: Horizon | None = None) -> Library:
    """Return a library with the counts of its graph, as the last ingest knew them where it cannot be read now.

    Raises LibraryNotFound where it has gone.
    """
    graph, problem = {} if horizon else info.counts, None
    info = await library_as_read(services.catalog, info, horizon)
    try:
        async with services.libraries.reading(info.name):
            try:
                graph = await services.graph.counts(info.name, horizon)
            except LibraryNotFound:  # it has no graph
                graph = {}
    except StoreError as error:
        problem = str(error)
    return Library(
        name=info.name,
        title=info.title,
        authors=list(dict.fromkeys(author for book in info.books.values() for author in book.authors)),
        language=info.language,
        embedder=info.embedder,
        sources=list(info.sources),
        chapters=info.counts.get("chapters", 0),
        passages=info.counts.get("passages", 0),
        problem=problem,
        **{kind: graph.get(kind) for kind in KINDS},
    )
