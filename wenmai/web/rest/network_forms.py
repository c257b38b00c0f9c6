"""Forms that send a network, with corrections."""

import asyncio
import shutil

from starlette.requests import Request

from wenmai.app.uploads import upload_folder
from wenmai.knowledge.content import Content
from wenmai.knowledge.mending import FIELD, mended, to_mending
from wenmai.knowledge.reading import read_content
from wenmai.knowledge.spec import check_id
from wenmai.settings.settings import Settings
from wenmai.web.forms import named_alone
from wenmai.web.rest.forms import form_of, sent_network

FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "description": "A JSON file of triples, CSV files, network.yaml with its files, or a ZIP archive of such",
        },
        FIELD: {"type": "string", "description": "Corrections as JSON: `name`, `keys`, `relations`, `added`"},
    },
}


async def received(request: Request, id: str, settings: Settings) -> tuple[Content, bool]:
    """Return the network that a form sends, corrected as it says, and whether it was inferred. Raises InputError."""
    form = await form_of(request, settings.max_source_mb * 2**20, settings.request_timeout_s)
    folder = await asyncio.to_thread(upload_folder, settings.data_dir)
    try:
        given = form.get(FIELD)
        with named_alone(folder):
            path = await sent_network(form, folder / check_id(id), settings.max_source_mb * 2**20)
            content, is_inferred = await asyncio.to_thread(read_content, path, id)
        if isinstance(given, str):
            content = await asyncio.to_thread(mended, content, to_mending(given))
    finally:
        await form.close()
        await asyncio.to_thread(shutil.rmtree, folder)
    return content, is_inferred
