"""Libraries on a running server."""

from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from state.context import Language
from tools.wording import Words
from wenmai.application.models.jobs import JobView
from wenmai.application.models.libraries import EngineName, Library, Mind, Preview
from wenmai.client.connection import path_of
from wenmai.client.remote import Remote
from wenmai.errors import InputError, LibraryNotFound, StoreError
from wenmai.ingestion.contracts import IngestReport, Spending, Step
from wenmai.inputs import NotFound

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import Progress

DATA = "data:"  # begins the line of an event
NOT_THERE = Words(
    "正在运行的服务器 {url} 不支持这个选项（{option}）：请先停止服务器，或去掉该选项",
    "the running server {url} cannot do this ({option}): stop the server first, or leave that out",
)
FOLDER = Words("导入文件夹", "a folder of files")
Part = tuple[str, tuple[str, BinaryIO | bytes]]  # of a form
STEP_FIELDS = frozenset(one.name for one in fields(Step))


class RemoteLibraries(Remote):
    """`LibraryOperations` of a running server."""

    async def create(self, library: str, title: str, language: Language = "zh") -> Library:
        """Make an empty library."""
        body = {"name": library, "title": title, "language": language}
        return await self.server.send(Library, "POST", "/libraries", body)

    async def require(self, library: str, *, everything: bool = False) -> None:
        """Look for a library that is to be deleted; with `everything` the server looks for what is left of one."""
        if not everything:
            await self.get(library)

    async def preview(
        self, file: str | Path, *, chapters: str | None = None, headings: Sequence[str] = (), show: int | None = None
    ) -> Preview:
        """Return what an ingest would make of a text; nothing is stored."""
        with ExitStack() as opened:
            form = form_of(chapters, headings) | ({} if show is None else {"show": str(show)})
            sent = await self.server.ask("POST", "/previews", files=[part(opened, "file", file)], data=form)
        return Preview.model_validate(sent)

    async def ingest(
        self,
        file: str | Path,
        library: str,
        *,
        content: bytes | None = None,
        title: str | None = None,
        language: Language | None = None,
        aliases: str | Path | None = None,
        graph: Sequence[str | Path] = (),
        chapters: str | None = None,
        headings: Sequence[str] = (),
        mind: Mind | None = None,
        engine: EngineName = "local",
        workers: int | None = None,
        progress: "Progress | None" = None,
    ) -> "IngestReport":
        """Read a text into a library there, which is made when it is new; the server's settings say who reads.

        Raises:
            InputError: a folder, a mind or an engine is named, which the server cannot be told.
        """
        is_folder = content is None and Path(file).is_dir()
        for is_wanted, option in ((mind, "--mind"), (engine != "local", "--engine"), (is_folder, FOLDER)):
            if is_wanted:
                raise InputError(NOT_THERE.of(url=self.server.url, option=option))
        form = form_of(chapters, headings) | {"title": title or ""}  # an empty one means that of the file
        form |= {"language": language} if language else {}
        async with AsyncExitStack() as undo:
            try:
                await self.get(library)
            except (LibraryNotFound, NotFound):
                await self.create(library, title or Path(file).stem)
                undo.push_async_callback(self.delete, library)
            with ExitStack() as opened:
                files: list[Part] = [
                    part(opened, "file", file) if content is None else ("file", (Path(file).name, content))
                ]
                files += [part(opened, "aliases", aliases)] if aliases else []
                files += [part(opened, "graph", one) for one in graph]
                sent = await self.server.ask("POST", path_of("libraries", library, "sources"), files=files, data=form)
            undo.pop_all()  # the files are taken
        return await self._job_report(JobView.model_validate(sent), progress)

    async def _job_report(self, job: JobView, progress: "Progress | None") -> IngestReport:
        async for line in self.server.lines(path_of("jobs", job.id, "events")):
            if not line.startswith(DATA):
                continue
            job = JobView.model_validate_json(line.removeprefix(DATA))
            if progress and job.progress and job.state == "running":
                progress(Step(**{name: value for name, value in job.progress.items() if name in STEP_FIELDS}))
        if job.state != "done" or job.result is None:
            raise StoreError(job.error or job.state)
        return IngestReport(**{**job.result, "spending": Spending(**job.result["spending"])})


def part(opened: ExitStack, name: str, file: str | Path) -> Part:
    """Return a file as a part of a form; it is open as long as the stack."""
    return name, (Path(file).name, opened.enter_context(Path(file).open("rb")))


def form_of(chapters: str | None, headings: Sequence[str]) -> dict[str, str]:
    """Return the fields that decide the headings."""
    return {
        **({"chapters": chapters} if chapters else {}),
        **({"headings": "\n".join(headings)} if headings else {}),
    }
