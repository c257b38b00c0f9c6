"""The page at `/` and the reference of the API at `/docs`: files, compressed once, cached by their content.

Everything but these documents lies below `/page/<version>/`, where the version is a hash of all files: a browser keeps
them without asking again, and modules find each other by relative paths. The files are public; what they show comes
from the API, which asks for the key.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wenmai.web.middleware import HEADERS, PAGE_POLICY

FOLDER = Path(__file__).parent
DOCUMENT, REFERENCE = "index.html", "docs.html"
ROOT = b"{root}"  # where the document names the folder of the other files
MODULES = b"{modules}"  # where it names the modules of the first view, so that they are fetched at once
ENTRY = "app.js"
IMPORT = re.compile(rb"^(?:import|export|\}) ?[^;'\"]*?from ['\"](\.[^'\"]+)['\"]", re.MULTILINE)
VERSION_CHARS = 16
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent."""

    media_type: str
    plain: bytes
    compressed: bytes
    etag: str

    def response(self, request: Request, caching: str) -> Response:
        headers = {**HEADERS, "content-security-policy": PAGE_POLICY, "vary": "accept-encoding"}
        headers |= {"cache-control": caching, "etag": self.etag}
        if self.etag in (one.strip() for one in request.headers.get("if-none-match", "").split(",")):
            return Response(None, 304, headers)
        accepted = [one.partition(";")[0].strip() for one in request.headers.get("accept-encoding", "").split(",")]
        if "gzip" not in accepted:
            return Response(self.plain, 200, headers, self.media_type)
        return Response(self.compressed, 200, {**headers, "content-encoding": "gzip"}, self.media_type)


@dataclass(frozen=True, slots=True)
class PageFiles:
    version: str
    files: Mapping[str, PageFile]


@cache
def installed_page() -> PageFiles:
    return read_page(FOLDER)


def read_page(folder: Path) -> PageFiles:
    """Return the page that lies in a folder, compressed."""
    found = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.suffix in TYPES and file.is_file()
    }
    version = hashlib.sha256(b"".join(part for name in found for part in (name.encode(), found[name]))).hexdigest()
    version = version[:VERSION_CHARS]
    preloads = "".join(f'<link rel="modulepreload" href="{{root}}/{name}">' for name in preload_modules(ENTRY, found))
    for name in {DOCUMENT, REFERENCE}.intersection(found):
        found[name] = found[name].replace(MODULES, preloads.encode()).replace(ROOT, f"/page/{version}".encode())
    etags = {name: f'"{hashlib.sha256(data).hexdigest()[:VERSION_CHARS]}"' for name, data in found.items()}
    return PageFiles(
        version,
        {
            name: PageFile(TYPES[Path(name).suffix], data, gzip.compress(data, mtime=0), etags[name])
            for name, data in found.items()
        },
    )


def preload_modules(entry: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the modules that one needs before it runs, each once."""
    known, waiting = {entry}, [entry]
    while waiting:
        name = waiting.pop()
        for path in IMPORT.findall(files[name]):
            other = normpath(join(dirname(name), path.decode()))
            if other in files and other not in known:
                known.add(other)
                waiting.append(other)
                yield other


async def document(request: Request) -> Response:
    """Return the page, or the reference of the API; LangGraph's own one loads its viewer from elsewhere."""
    name = REFERENCE if request.url.path.endswith("/docs") else DOCUMENT
    return (await asyncio.to_thread(installed_page)).files[name].response(request, "no-cache")


async def file(request: Request) -> Response:
    """Return a file of this version; those of an older one are gone, and the page offers to load itself anew."""
    known = await asyncio.to_thread(installed_page)
    found = known.files.get(request.path_params["path"])
    if found is None or request.path_params["version"] != known.version:
        return Response("Not Found", 404, HEADERS, "text/plain")
    return found.response(request, FOR_GOOD)


PREFIX = "/page/"
ROUTES = [
    Route("/", document, methods=["GET"]),
    Route("/docs", document, methods=["GET"]),
    Route(PREFIX + "{version}/{path:path}", file, methods=["GET"]),
]
