"""The texts of a library: a text is taken in as a job, and deleted with a receipt."""

import asyncio
import shutil
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, get_args

from starlette.requests import Request

from state.context import Language
from tools.reasons import REASONS
from tools.wording import Words
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.app.deleting import deleted
from wenmai.app.leftovers import leftovers
from wenmai.app.uploads import upload_folder
from wenmai.application.models.paging import Strict
from wenmai.errors import IngestError
from wenmai.ingestion.contracts import Step
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.ingestion.sources.loaders import check_file
from wenmai.inputs import FieldError
from wenmai.web.api.access import api_of, changeable, services_of, viewer
from wenmai.web.api.jobs import JobView, job_view
from wenmai.web.api.libraries import Receipt, receipt_of
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.forms import check_once, form_of, stored
from wenmai.web.rest.jobs import Report
from wenmai.web.rest.source_forms import CHOICE_FORM, SLOWER, choice_of, named_alone

LANGUAGES = Words("language 应为 zh 或 en", "language is zh or en")
KIND = "ingest"
LONGEST_TITLE = 200
FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "A text, JSON, HTML, EPUB, DOCX or PDF file"},
        "title": {
            "type": "string",
            "maxLength": LONGEST_TITLE,
            "description": "Title that answers show; default: the library's; an empty one means the file's own",
        },
        "language": {"enum": ["zh", "en"], "description": "Language of the story; default: that of its letters"},
        "aliases": {"type": "string", "format": "binary", "description": "JSON file of names and their aliases"},
        "graph": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "description": "Ready-made relations, events or entities (CSV, JSONL)",
        },
        **CHOICE_FORM,
    },
}
resource = Resource("libraries")


class SampleStory(Strict):
    """Which of the stories that come along."""

    language: Language = "zh"


@resource.post("/libraries/{library}/sources", "Take a text into a library", status=202, form=FORM, is_for_admins=True)
async def begun(call: Call[None, None]) -> JobView:
    """Read a text into a library, as a job. Only what changed is written anew. Needs the right to administer."""
    library, api, services = await changeable(call), api_of(call), await services_of(call)
    folder = await asyncio.to_thread(upload_folder, services.settings.data_dir)
    try:
        title = (await services.catalog.info(library)).title
        request = await received(call.request, folder, library, title, services)
        services.libraries.require_free(library)
    except BaseException:
        await asyncio.to_thread(shutil.rmtree, folder)
        raise

    async def work(report: Report) -> dict[str, Any]:
        try:
            return await taken_in(services, request, report)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder)

    return job_view(api.jobs.begin(KIND, library, viewer(call).user_id, work))


@resource.post("/sample", "Take in the sample story", status=202, is_for_admins=True)
async def sample_begun(call: Call[None, SampleStory]) -> JobView:
    """Read the short story that comes along into its library, as a job. Needs the right to administer."""
    request, api, services = sample.request(call.body.language), api_of(call), await services_of(call)
    viewer(call).require_library(request.library)
    services.libraries.require_free(request.library)

    async def work(report: Report) -> dict[str, Any]:
        return await taken_in(services, request, report)

    return job_view(api.jobs.begin(KIND, request.library, viewer(call).user_id, work))


@resource.delete("/libraries/{library}/sources/{source}", "Delete a text", is_for_admins=True)
async def removed(call: Call[None, None]) -> Receipt:
    """Delete one text of a library from vectors, graph and catalog. Needs the right to administer."""
    library, source = await changeable(call), call.part("source")
    services = await services_of(call)
    counts = await deleted(services, library, source)
    return receipt_of(library, source, counts, await leftovers(services.settings, library))


async def taken_in(services: Services, request: IngestRequest, report: Report) -> dict[str, Any]:
    """Ingest, and return the report as plain data."""

    def shown(step: Step) -> None:
        report({**asdict(step), "remaining": step.remaining})

    with named_alone(request.path.parent):
        async with services.libraries.writing(request.library, patience_s=None):
            done = await ingest(
                request,
                stores=services.stores,
                embedder=services.embedder,
                progress=shown,
                tagger=services.reader,
                alone=partial(services.libraries.without_readers, request.library),
            )
    return asdict(done)


async def received(request: Request, folder: Path, library: str, title: str, services: Services) -> IngestRequest:
    """Write the files of a form into a folder and return what is to be read. Raises FieldError."""
    settings = services.settings
    form = await form_of(request, settings.max_source_mb * 2**20, settings.request_timeout_s * SLOWER)
    try:
        check_once(form, FORM)
        source = await stored(form.get("file"), folder, "file")
        aliases = await stored(form.get("aliases"), folder / "aliases", "aliases") if form.get("aliases") else None
        graph = [await stored(one, folder / "graph", "graph") for one in form.getlist("graph")]
        await check_text(source, folder)
        named, choice = title_of(form.get("title"), title), choice_of(form)
    finally:
        await form.close()
    return IngestRequest(
        path=source,
        library=library,
        title=named,
        aliases=aliases,
        graph_files=tuple(graph),
        choice=choice,
        language=language_of(form.get("language")),
    )


async def check_text(path: Path, folder: Path) -> None:
    """Refuse what plainly is no text that is read. Raises FieldError."""
    try:
        with named_alone(folder):
            await asyncio.to_thread(check_file, path)
    except IngestError as error:
        raise FieldError("file", error.args[0]) from error


def title_of(given: object, usual: str) -> str | None:
    """Return the title that a form names, None for an empty one, `usual` without any. Raises FieldError."""
    title = given.strip() if isinstance(given, str) else usual
    if len(title) > LONGEST_TITLE:
        raise FieldError("title", REASONS["string_too_long"].of(max_length=LONGEST_TITLE))
    return title or None


def language_of(given: object) -> Language | None:
    """Return the language that a form names. Raises FieldError."""
    if given in (None, ""):
        return None
    languages: tuple[Language, ...] = get_args(Language)
    for one in languages:
        if one == given:
            return one
    raise FieldError("language", LANGUAGES)
