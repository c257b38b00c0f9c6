"""Forms with files: read within limits of size, number and time before FastAPI takes their parts.

A route with a form has one of the limits below in its `dependencies`, and takes the parts as parameters:
`file: UploadFile, title: Annotated[str | None, Form()] = None`. FastAPI takes an empty text for one that is not there;
`await request.form()` has the parts as they were sent.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fastapi import Depends, Request, UploadFile
from fastapi.params import File
from starlette.datastructures import FormData
from starlette.datastructures import UploadFile as SentFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message as ASGIMessage

from tools.messages import Message
from wenmai.app.data_dir import unnamed, upload_folder, upload_name
from wenmai.inputs import FieldError
from wenmai.web.guard import BodyTooLarge

MULTIPART = "multipart/form-data"
FORM_BYTES = 64 * 2**10  # boundaries, headers and the other fields


@dataclass(frozen=True, slots=True, kw_only=True)
class FormLimits:
    """What a form may hold.

    Attributes:
        setting: the most megabytes that its files have together.
        files: the most of them.
        fields: the most other fields.
        field_bytes: the most of one of these.
        patience: how many times the seconds of other bodies it may take.
    """

    setting: Literal["max_file_size_mb", "max_source_mb"]
    files: int = 100
    fields: int = 100
    field_bytes: int = 2**20
    patience: int = 1

    async def __call__(self, request: Request) -> Request:
        """Return the request with its form read. Raises FieldError; with status 413 as soon as it is too large."""
        settings = (await request.app.state.api.services()).settings
        megabytes: float = getattr(settings, self.setting)
        most = int(megabytes * 2**20) + FORM_BYTES
        if not request.headers.get("content-type", "").startswith(MULTIPART):
            raise FieldError("body", Message("upload.form_needed", form=MULTIPART))
        size = 0

        async def received() -> ASGIMessage:
            nonlocal size
            message = await request.receive()
            size += len(message.get("body", b""))
            if size > most:
                raise BodyTooLarge
            return message

        limited = Request(request.scope, received)
        try:
            if int(request.headers.get("content-length") or 0) > most:
                raise BodyTooLarge
            async with asyncio.timeout(settings.request_timeout_s * self.patience):
                form = await limited.form(max_files=self.files, max_fields=self.fields, max_part_size=self.field_bytes)
        except BodyTooLarge as error:
            raise FieldError(
                "file", Message("upload.file_too_large", most=megabytes, setting=self.setting.upper()), 413
            ) from error
        except TimeoutError as error:
            raise FieldError("body", Message("upload.timed_out"), 408) from error
        except ClientDisconnect as error:
            raise FieldError(
                "body", Message("upload.form_unreadable", reason=Message("upload.disconnected"))
            ) from error
        except (HTTPException, ValueError) as error:
            raise FieldError(
                "body", Message("upload.form_unreadable", reason=getattr(error, "detail", error))
            ) from error
        try:
            check_parts(form, request.scope["route"])
        except FieldError:
            await form.close()
            raise
        return limited


DOCUMENT_FORM = Depends(FormLimits(setting="max_file_size_mb", files=1, fields=8, field_bytes=4 * 2**10))
SOURCE_FORM = Depends(FormLimits(setting="max_source_mb", patience=10))
NETWORK_FORM = Depends(FormLimits(setting="max_source_mb"))


def check_parts(form: FormData, route: Any) -> None:
    """Refuse what is no file in the place of one, parts that a route does not take, and doubled ones.

    Raises:
        FieldError: the first of them.
    """
    taken = {one.alias: one.field_info for one in route.dependant.body_params}
    for name, info in taken.items():
        if isinstance(info, File):
            sent = form.getlist(name)
            if (info.is_required() and not sent) or not all(isinstance(one, SentFile) for one in sent):
                raise FieldError(name, Message("upload.file_missing", field=name))
            if any(isinstance(one, SentFile) and not one.filename for one in sent):
                raise FieldError(name, Message("upload.file_name_missing"))
    for name in form:
        if name not in taken:
            raise FieldError(name, Message("field.unknown"))
        if "list" not in str(taken[name].annotation) and len(form.getlist(name)) > 1:
            raise FieldError(name, Message("field.given_twice"))


@asynccontextmanager
async def upload_folder_in(data_dir: Path) -> AsyncIterator[Path]:
    """Have a folder for the files of one request, that errors do not name and that goes with the request."""
    folder = await asyncio.to_thread(upload_folder, data_dir)
    try:
        with unnamed(folder):
            yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder)


async def saved_file(sent: UploadFile, folder: Path, field: str = "file") -> Path:
    """Write a file of a form into a folder under its own name, without its folders. Raises FieldError."""
    path = folder / upload_name(sent.filename or "", field)
    data = await sent.read()

    def write_new() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(data)

    try:
        await asyncio.to_thread(write_new)
    except FileExistsError as error:
        raise FieldError(field, Message("upload.file_name_repeated", name=path.name)) from error
    return path
