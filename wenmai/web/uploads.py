"""The body of an upload: one file and a few fields, with the size limit enforced while it is read."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from tools.wording import Words
from wenmai.inputs import FieldError

NO_NAME = Words("缺少文件名", "the file has no name")
NO_FILE = Words("缺少文件：请用字段 {field} 上传一个文件", "the file is missing: send one in the field {field}")
BAD_FORM = Words(
    "无法读取表单（{reason}）：一次上传一个文件，字段名为 file",
    "the form cannot be read ({reason}): send one file in the field file",
)
TOO_BIG = Words(
    "文件超过大小限制，上限是 {most:g} MB（MAX_FILE_SIZE_MB）",
    "the file is too large: at most {most:g} MB (MAX_FILE_SIZE_MB)",
)
NO_FORM = Words(
    "请以 {form} 上传：字段 file 是文件，session_id 是会话",
    "send {form}: the field file holds the file, session_id the conversation",
)
DISCONNECTED = Words("连接已断开", "the connection was closed")
FORM_BYTES = 64 * 2**10  # boundaries, headers and the other fields
FIELD_BYTES = 4 * 2**10
MAX_FIELDS = 8
MULTIPART = "multipart/form-data"


class BodyTooLarge(Exception):
    """More bytes came than a file may have."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What was sent."""

    filename: str
    data: bytes
    fields: Mapping[str, str]


async def read_upload(request: Request, most: int) -> Upload:
    """Return the file of a form. Raises FieldError; with status 413 as soon as it has more than `most` bytes."""
    if not request.headers.get("content-type", "").startswith(MULTIPART):
        raise FieldError("body", NO_FORM.of(form=MULTIPART))
    try:
        form = await form_of(request, most)
    except BodyTooLarge as error:
        raise FieldError("file", TOO_BIG.of(most=most / 2**20), 413) from error
    except MultiPartException as error:
        raise FieldError("body", BAD_FORM.of(reason=error.message)) from error
    try:
        return await upload_of(form)
    finally:
        await form.close()


async def form_of(request: Request, most: int) -> FormData:
    """Read a form; files beyond a megabyte go to the disk while they come in."""
    stream = counted(request.stream(), most + FORM_BYTES)
    if int(request.headers.get("content-length") or 0) > most + FORM_BYTES:
        raise BodyTooLarge
    parser = MultiPartParser(request.headers, stream, max_files=1, max_fields=MAX_FIELDS, max_part_size=FIELD_BYTES)
    try:
        return await parser.parse()
    except ClientDisconnect as error:
        raise MultiPartException(DISCONNECTED.say()) from error


async def counted(stream: AsyncGenerator[bytes, None], most: int) -> AsyncGenerator[bytes, None]:
    """Yield what comes. Raises BodyTooLarge as soon as there is too much."""
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > most:
            raise BodyTooLarge
        yield piece


async def upload_of(form: FormData) -> Upload:
    """Return the file and the fields of a form. Raises FieldError."""
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise FieldError("file", NO_FILE.of(field="file"))
    if not file.filename:
        raise FieldError("file", NO_NAME)
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    return Upload(file.filename, await file.read(), fields)
