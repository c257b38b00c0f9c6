"""What commands ask a running server about libraries; results are what the stores would give."""

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from wenmai.cli.server.running import Running, known
from wenmai.errors import LibraryNotFound, StoreError
from wenmai.stores.files.refusals import NO_LIBRARY

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.request import IngestRequest

JOB_SECONDS = 0.5


def listed(server: Running, guard: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the libraries as a reader knows them."""
    return list(server.rows("/libraries", **guard))


def require(server: Running, library: str) -> None:
    """Look for a library. Raises LibraryNotFound."""
    if library not in {one["name"] for one in server.rows("/libraries")}:
        raise LibraryNotFound(NO_LIBRARY.of(library=library))


def delete(server: Running, library: str, source: str | None, *, everything: bool) -> dict[str, Any]:
    """Delete a library or a source and return the receipt."""
    path = f"/libraries/{quote(library)}" + (f"/sources/{quote(source, safe='')}" if source else "")
    receipt: dict[str, Any] = server.ask("DELETE", path, params={"everything": "true"} if everything else {})
    return receipt


def ingest(server: Running, request: "IngestRequest") -> "IngestReport":
    """Take a file into a library, which is made when it is new, and return the report."""
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.spending import Spending

    name = request.library
    if name not in {one["name"] for one in server.rows("/libraries")}:
        server.ask("POST", "/libraries", json={"name": name, "title": request.title or request.path.stem})
    files = [("file", (request.path.name, request.path.read_bytes()))]
    files += [("aliases", (one.name, one.read_bytes())) for one in (request.aliases,) if one]
    files += [("graph", (one.name, one.read_bytes())) for one in request.graph_files]
    data = known({"chapters": request.choice.pattern, "language": request.language})
    data["title"] = request.title or ""  # an empty one means that of the file
    job = server.ask("POST", f"/libraries/{quote(name)}/sources", files=files, data=data)
    while job["state"] == "running":
        time.sleep(JOB_SECONDS)
        job = server.ask("GET", f"/jobs/{job['id']}")
    if job["state"] != "done":
        raise StoreError(job["error"] or job["state"])
    return IngestReport(**{**job["result"], "spending": Spending(**job["result"]["spending"])})
