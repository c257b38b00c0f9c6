"""Libraries and their texts: what they hold, a look at a text, its taking in as a job, and deletion with a receipt."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import File, Form, Query, Request, UploadFile
from starlette.responses import Response

from state.context import Language
from tools.errors import LibraryNotFound
from tools.messages import Message
from wenmai.app import sample
from wenmai.app.data_dir import job_folder, unnamed
from wenmai.application import libraries as models
from wenmai.application.ingest_jobs import WantedIngest, begin_ingest
from wenmai.application.jobs import JobView
from wenmai.application.libraries import LONGEST_TITLE, check_source, choice_of
from wenmai.application.operations import Application
from wenmai.application.paging import USUAL, Page
from wenmai.web.dependencies import ADMIN, Event, Limit, Offset, Operations, Reading, event_response, resource
from wenmai.web.forms import SOURCE_FORM, saved_file, upload_folder_in
from wenmai.web.openapi import StreamEvent, stream_response

Everything = Annotated[bool, Query(description="Also the conversations and traces of questions to it")]
Text = Annotated[UploadFile, File(description="A text, JSON, HTML, EPUB, DOCX or PDF file")]
Chapters = Annotated[str | None, Form(description="What a heading is: a regular expression, toc or none")]
Headings = Annotated[
    str | None,
    Form(
        description="The heading lines in their order, in place of `chapters`: each as it is printed, with a tab "
        "and another title where one is wanted; `== ` begins the line of a volume"
    ),
]
Replaces = Annotated[
    str | None,
    Form(
        description="The text of which this is a newer version; its title stays, and its tables where none come along"
    ),
]
WithoutTables = Annotated[
    bool, Form(description="Whether what earlier ingests of this text were given as aliases and graph counts no more")
]
Graph = Annotated[
    list[UploadFile] | None,
    File(description="Ready-made relations, events or entities (CSV, JSON, JSONL), or lists of aliases (JSON, CSV)"),
]
Title = Annotated[
    str | None,
    Form(
        max_length=LONGEST_TITLE,
        description="Title that answers show; default: the library's; an empty one means the file's own",
    ),
]
EVENTS = {"progress": StreamEvent(JobView), "end": StreamEvent(JobView)}
router = resource("libraries")
jobs = resource("jobs")


@router.get("/libraries", summary="List libraries")
async def listed(app: Operations, guard: Reading, limit: Limit = USUAL, offset: Offset = 0) -> Page[models.Library]:
    """List the libraries that the key opens, by name."""
    return await app.libraries.list(guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}", summary="Get a library")
async def one(app: Operations, guard: Reading, library: str) -> models.Library:
    """Return one library with its counts."""
    return await app.libraries.get(library, guard=guard)


@router.post("/libraries", summary="Make a library", status_code=201, dependencies=ADMIN)
async def made(app: Operations, new: models.NewLibrary) -> models.Library:
    """Make an empty library. Needs a key with the right to administer."""
    return await app.libraries.create(new.name, new.title, new.language)


@router.patch("/libraries/{library}", summary="Rename a library", dependencies=ADMIN)
async def rename(app: Operations, library: str, new: models.LibraryTitle) -> models.Library:
    """Give a library, or one of its texts, another title or other authors. Needs the right to administer.

    A library's title goes to those of its texts that have the old one, its authors to all of them.
    """
    return await app.libraries.rename(library, new.title, authors=new.authors, source=new.source)


@router.delete("/libraries/{library}", summary="Delete a library", dependencies=ADMIN)
async def removed(app: Operations, library: str, everything: Everything = False) -> models.DeletionReceipt:
    """Delete a library from vectors, graph and catalog; answer with what was there. Needs the right to administer.

    Conversations that asked it, whoever's, and their traces still quote it; they stay unless `everything` is true.
    """
    return await app.libraries.delete(library, everything=everything)


@router.post(
    "/libraries/{library}/sources",
    summary="Take a text into a library",
    operation_id="sources_begun",
    status_code=202,
    dependencies=[*ADMIN, SOURCE_FORM],
)
async def begun(
    request: Request,
    app: Operations,
    library: str,
    file: Text,
    title: Title = None,
    language: Annotated[Language | None, Form(description="Of the story; default: that of its letters")] = None,
    aliases: Annotated[UploadFile | None, File(description="JSON file of names and their aliases")] = None,
    graph: Graph = None,
    chapters: Chapters = None,
    headings: Headings = None,
    replaces: Replaces = None,
    without_tables: WithoutTables = False,
) -> JobView:
    """Read a text into a library, as a job. Only what changed is written anew. Needs the right to administer."""
    try:
        usual = (await app.libraries.get(library)).title
    except LibraryNotFound as error:
        raise LibraryNotFound(Message("library.make_first", name=library)) from error
    async with new_job_folder(app) as folder:
        path = await saved_file(file, folder)
        own_aliases = await saved_file(aliases, folder / "aliases", "aliases") if aliases else None
        graph_files = [await saved_file(one, folder / "graph", "graph") for one in graph or ()]
        await asyncio.to_thread(check_source, path)
        is_named = "title" in await request.form()
        rows = (headings or "").splitlines()
        choice_of(chapters, rows)  # a bad pattern is refused here, not by the job
        if replaces is not None:
            await app.libraries.require_source(library, replaces, "replaces")
        app.services.libraries.require_free(library)
        wanted = WantedIngest(
            user_id=app.caller.user_id,
            library=library,
            file=path.name,
            title=((title or "").strip() or None) if is_named else usual if replaces is None else None,
            language=language,
            aliases=f"aliases/{own_aliases.name}" if own_aliases else None,
            graph=[f"graph/{one.name}" for one in graph_files],
            chapters=chapters,
            headings=rows,
            replaces=replaces,
            without_tables=without_tables,
        )
        return await begin_ingest(app, wanted, folder)


@router.post(
    "/libraries/{library}/tables",
    summary="Add aliases, relations and events",
    operation_id="sources_tables_added",
    dependencies=[*ADMIN, SOURCE_FORM],
)
async def tables_added(
    app: Operations,
    library: str,
    file: Annotated[
        list[UploadFile],
        File(description="Lists of aliases (JSON, CSV), or relations, events and entities (CSV, JSON, JSONL)"),
    ],
    source: Annotated[str | None, Form(description="The text that they belong to; default: the first")] = None,
) -> models.AddedTablesView:
    """Add tables to a text that is there; later ingests of it keep them. Needs the right to administer."""
    async with upload_folder_in(app.services.settings.data_dir) as folder:
        paths = [await saved_file(one, folder) for one in file]
        return await app.libraries.add_tables(library, paths, source=source)


@router.post(
    "/sample",
    summary="Take in the sample story",
    operation_id="sources_sample_begun",
    status_code=202,
    dependencies=ADMIN,
)
async def sample_begun(app: Operations, story: models.SampleStory) -> JobView:
    """Read the short story that comes along into its library, as a job. Needs the right to administer."""
    library = sample.request(story.language).library
    app.caller.require_library(library)
    app.services.libraries.require_free(library)
    async with new_job_folder(app) as folder:
        wanted = WantedIngest(user_id=app.caller.user_id, library=library, language=story.language, is_sample=True)
        return await begin_ingest(app, wanted, folder)


@router.delete(
    "/libraries/{library}/sources/{source}",
    summary="Delete a text",
    operation_id="sources_removed",
    dependencies=ADMIN,
)
async def source_removed(app: Operations, library: str, source: str) -> models.DeletionReceipt:
    """Delete one text of a library from vectors, graph and catalog. Needs the right to administer."""
    return await app.libraries.delete_source(library, source)


@asynccontextmanager
async def new_job_folder(app: Application) -> AsyncIterator[Path]:
    """Have a folder for the files of a job; where it is not begun the folder goes."""
    folder = await asyncio.to_thread(job_folder, app.services.settings.data_dir)
    try:
        with unnamed(folder):
            yield folder
    except BaseException:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        raise


@router.post(
    "/previews",
    summary="Look at a text before it is taken in",
    operation_id="previews_previewed",
    dependencies=[*ADMIN, SOURCE_FORM],
)
async def previewed(
    app: Operations,
    file: Text,
    chapters: Chapters = None,
    headings: Headings = None,
    show: Annotated[int | None, Form(ge=0, description="The chapter, from 0, whose lines are returned")] = None,
) -> models.Preview:
    """Return the chapters of a text, and what is left out; nothing is stored. Needs the right to administer."""
    async with upload_folder_in(app.services.settings.data_dir) as folder:
        path = await saved_file(file, folder)
        rows = (headings or "").splitlines()
        return await app.libraries.preview(path, chapters=chapters, headings=rows, show=show)


@jobs.get("/jobs", name="listed", summary="List jobs")
async def job_rows(app: Operations, limit: Limit = USUAL, offset: Offset = 0) -> Page[JobView]:
    """List your jobs, the newest first; with the right to administer those of all on the libraries of the key."""
    return await app.jobs.list(limit=limit, offset=offset)


@jobs.get("/jobs/{job}", name="one", summary="Get a job")
async def one_job(app: Operations, job: str) -> JobView:
    """Return a job as it is now."""
    return await app.jobs.get(job)


@jobs.get("/jobs/{job}/events", summary="Watch a job", response_class=Response, responses=stream_response(EVENTS))
async def watched(app: Operations, job: str) -> Response:
    """Stream the job: an event `progress` at each change, `end` at its end; each with the whole job."""
    return event_response(changes(app.jobs.watch(job)))


@jobs.delete("/jobs/{job}", summary="Stop a job")
async def stopped(app: Operations, job: str) -> JobView:
    """Stop a job. What it has written stays; the same job started again goes on from there."""
    return await app.jobs.cancel(job)


async def changes(states: AsyncIterator[JobView]) -> AsyncIterator[Event]:
    async for now in states:
        yield ("progress" if now.state == "running" else "end"), now.model_dump(mode="json")
