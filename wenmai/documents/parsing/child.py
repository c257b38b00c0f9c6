"""`python -m wenmai.documents.parsing.child '[filename, size, overlap, language]'`: a file on stdin, JSON on stdout.

With `'[filename, page]'` a page of a PDF is drawn.

The process limits itself before it looks at the file: memory, processor time, no file may be written. What a library
breaks down with ends the process; `parser` reports it to the user.
"""

import json
import os
import sys
from base64 import b64encode
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from state.context import Language

MEMORY_BYTES = 2**30
CPU_SECONDS = 60
OPEN_FILES = 64


def main() -> None:
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is not the answer
    limit_itself()
    # Of what ended the process its kind is told: its text may hold anything.
    sys.excepthook = lambda kind, error, trace: answer(reply, {"failure": kind.__name__})
    filename, *order = json.loads(sys.argv[1])
    data = sys.stdin.buffer.read()
    answer(reply, drawn(data, *order) if len(order) == 1 else read_limited(filename, data, *order))


def limit_itself() -> None:
    """Give up memory, time and files, where the system can take them."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the deadline holds there too
        return
    kinds = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))  # at the first the signal names the reason
    for kind, most in kinds.items():
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):  # macOS refuses a limit of memory
            continue


def read_limited(filename: str, data: bytes, size: int, overlap: int, language: "Language" = "zh") -> dict[str, Any]:
    from tools.errors import IngestError
    from tools.messages import speaking
    from wenmai.documents.parsing.reading import read

    try:
        with speaking(language):
            return read(filename, data, size, overlap)
    except IngestError as error:
        with speaking(language):
            return {"error": str(error)}
    except (MemoryError, RecursionError) as error:
        return {"failure": type(error).__name__}


def drawn(data: bytes, page: int) -> dict[str, Any]:
    """Return `{picture}`, a JPEG as Base64, None where the file has no such page."""
    from wenmai.formats.pdf import picture_of

    picture = picture_of(data, page)
    return {"picture": None if picture is None else b64encode(picture).decode()}


def answer(reply: Any, content: dict[str, Any]) -> None:
    json.dump(content, reply, ensure_ascii=False)
    reply.flush()


if __name__ == "__main__":
    main()
