"""The texts of a library: a text is looked at, taken in as a job, and deleted with a receipt."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import File, Form, Request, UploadFile

from state.context import Language
from wenmai.app import sample
from wenmai.application.jobs import Report
from wenmai.application.libraries import check_source, choice_of
from wenmai.application.models.jobs import JobView
from wenmai.application.models.libraries import DeletionReceipt, SampleStory
from wenmai.application.operations import Application
from wenmai.ingestion.contracts import Step
from wenmai.ingestion.request import IngestRequest
from wenmai.web.dependencies import ADMIN, Operations, resource
from wenmai.web.forms import SOURCE_FORM, saved_file, upload_folder_in

KIND = "ingest"
LONGEST_TITLE = 200
Text = Annotated[UploadFile, File(description="A text, JSON, HTML, EPUB, DOCX or PDF file")]
Chapters = Annotated[str | None, Form(description="What a heading is: a regular expression, toc or none")]
Headings = Annotated[
    str | None,
    Form(
        description="The heading lines in their order, in place of `chapters`: each as it is printed, with a tab "
        "and another title where one is wanted; `== ` begins the line of a volume"
    ),
]
Title = Annotated[
    str | None,
    Form(
        max_length=LONGEST_TITLE,
        description="Title that answers show; default: the library's; an empty one means the file's own",
    ),
]

router = resource("libraries")


@router.post(
    "/libraries/{library}/sources",
    summary="Take a text into a library",
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
    graph: Annotated[
        list[UploadFile] | None, File(description="Ready-made relations, events or entities (CSV, JSONL)")
    ] = None,
    chapters: Chapters = None,
    headings: Headings = None,
) -> JobView:
    """Read a text into a library, as a job. Only what changed is written anew. Needs the right to administer."""
    usual = (await app.libraries.get(library)).title
    async with AsyncExitStack() as kept:
        folder = await kept.enter_async_context(upload_folder_in(app.services.settings.data_dir))
        path = await saved_file(file, folder)
        own_aliases = await saved_file(aliases, folder / "aliases", "aliases") if aliases else None
        graph_files = tuple([await saved_file(one, folder / "graph", "graph") for one in graph or ()])
        await asyncio.to_thread(check_source, path)
        is_named = "title" in await request.form()
        wanted = IngestRequest(
            path=path,
            library=library,
            title=((title or "").strip() or None) if is_named else usual,
            aliases=own_aliases,
            graph_files=graph_files,
            choice=choice_of(chapters, (headings or "").splitlines()),
            language=language,
        )
        app.services.libraries.require_free(library)
        return begin(app, wanted, kept.pop_all())


@router.post("/sample", summary="Take in the sample story", status_code=202, dependencies=ADMIN)
async def sample_begun(app: Operations, story: SampleStory) -> JobView:
    """Read the short story that comes along into its library, as a job. Needs the right to administer."""
    request = sample.request(story.language)
    app.caller.require_library(request.library)
    app.services.libraries.require_free(request.library)
    return begin(app, request, AsyncExitStack())


@router.delete("/libraries/{library}/sources/{source}", summary="Delete a text", dependencies=ADMIN)
async def removed(app: Operations, library: str, source: str) -> DeletionReceipt:
    """Delete one text of a library from vectors, graph and catalog. Needs the right to administer."""
    return await app.libraries.delete_source(library, source)


def begin(app: Application, request: IngestRequest, kept: AsyncExitStack) -> JobView:
    """Begin to read a text as a job; `kept` holds its files until the end."""

    async def work(report: Report) -> dict[str, Any]:
        def progress(step: Step) -> None:
            report({**asdict(step), "remaining": step.remaining})

        async with kept:
            return asdict(await app.libraries.ingest_request(request, progress=progress))

    return app.jobs.begin(KIND, request.library, work)
