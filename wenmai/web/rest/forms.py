"""Forms with files: read within limits of size and time, their files written under their own names."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from tools.wording import Words
from wenmai.inputs import FieldError
from wenmai.web.uploads import FORM_BYTES, NO_FILE, BodyTooLarge, counted

BAD_NAME = Words("文件名不能用：{name!r}", "this file name cannot be used: {name!r}")
TWICE = Words("文件重名：{name!r} 已经用过，请换一个文件名", "two files have the name {name!r}: rename one")
ONE_PART = Words("这个字段只能给一次", "this field can be given once")
NO_FORM = Words(
    "请以 multipart/form-data 上传：字段 file 是文本", "send multipart/form-data: the field file holds the text"
)
TOO_LATE = Words("文件没有在规定时间内发送完（REQUEST_TIMEOUT_S）", "the file was not sent in time (REQUEST_TIMEOUT_S)")
TOO_BIG = Words(
    "文件超过大小限制，上限是 {most:g} MB（MAX_SOURCE_MB）",
    "the file is too large: at most {most:g} MB (MAX_SOURCE_MB)",
)
MAX_FILES = 100
FIELD_BYTES = 2**20
NAME_BYTES = 255  # of a file, on all usual file systems


async def form_of(request: Request, most: int, seconds: float) -> FormData:
    """Read a form. Raises FieldError."""
    try:
        async with asyncio.timeout(seconds):
            stream = counted(request.stream(), most + FORM_BYTES)
            return await MultiPartParser(
                request.headers, stream, max_files=MAX_FILES, max_fields=MAX_FILES, max_part_size=FIELD_BYTES
            ).parse()
    except BodyTooLarge as error:
        raise FieldError("file", TOO_BIG.of(most=most / 2**20), 413) from error
    except TimeoutError as error:
        raise FieldError("body", TOO_LATE, 408) from error
    except (MultiPartException, KeyError) as error:
        raise FieldError("body", NO_FORM) from error


def check_once(form: FormData, schema: Mapping[str, Any]) -> None:
    """Refuse a part that comes several times where its schema takes one. Raises FieldError."""
    for name, kind in schema["properties"].items():
        if kind.get("type") != "array" and len(form.getlist(name)) > 1:
            raise FieldError(name, ONE_PART)


async def stored(part: object, folder: Path, field: str) -> Path:
    """Write a file of a form under its own name. Raises FieldError."""
    if not isinstance(part, UploadFile):
        raise FieldError(field, NO_FILE.of(field=field))
    path = folder / file_name(part.filename or "", field)
    data: bytes = await part.read()
    try:
        await asyncio.to_thread(write, path, data)
    except FileExistsError as error:
        raise FieldError(field, TWICE.of(name=path.name)) from error
    return path


def file_name(given: str, field: str) -> str:
    """Return the name of a file without its folders. Raises FieldError."""
    name = PurePosixPath(given.replace("\\", "/")).name
    if not name or name.startswith(".") or "\0" in name or len(os.fsencode(name)) > NAME_BYTES:
        raise FieldError(field, BAD_NAME.of(name=given[:80]))
    return name


def write(path: Path, data: bytes) -> None:
    """Write a new file, with its folder. Raises FileExistsError where either is another file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
