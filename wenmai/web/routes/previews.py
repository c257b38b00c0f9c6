"""A look at a text before it is taken in: its chapters, and what is left out. Nothing is stored."""

from typing import Annotated

from fastapi import Form

from wenmai.application.models.libraries import Preview
from wenmai.web.dependencies import ADMIN, Operations, resource
from wenmai.web.forms import SOURCE_FORM, saved_file, upload_folder_in
from wenmai.web.routes.sources import Chapters, Headings, Text

router = resource("libraries")


@router.post("/previews", summary="Look at a text before it is taken in", dependencies=[*ADMIN, SOURCE_FORM])
async def previewed(
    app: Operations,
    file: Text,
    chapters: Chapters = None,
    headings: Headings = None,
    show: Annotated[int | None, Form(ge=0, description="The chapter, from 0, whose lines are returned")] = None,
) -> Preview:
    """Return the chapters of a text, and what is left out; nothing is stored. Needs the right to administer."""
    async with upload_folder_in(app.services.settings.data_dir) as folder:
        path = await saved_file(file, folder)
        rows = (headings or "").splitlines()
        return await app.libraries.preview(path, chapters=chapters, headings=rows, show=show)
