"""What callers of `wenmai serve` are told of broken stores and texts: no folder of the server, no command for it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.live_server import STORY, LiveServer
from tests.integration.own_server import API, serving
from tests.temporary import copied

SPOILT = {  # libraries by what is wrong with them
    "nograph": "graph.lbug",
    "nocatalog": "catalog.sqlite",
    "novectors": "passages/edge_config.json",
}
ASKED = {"question": "苏晚照的哥哥是谁？"}
STREAM = {"accept": "text/event-stream"}
FAULTS: tuple[tuple[str, bytes, dict[str, str]], ...] = (  # of a text
    ("x.exe", b"MZ", {}),
    ("x.pdf", b"%PDF-1.4 broken", {}),
    ("x.txt", b"", {}),
    ("x.txt", STORY.encode(), {"chapters": "("}),
    ("x.json", b"{", {"chapters": "toc"}),
    ("x.txt", STORY.encode(), {"headings": "none of these"}),
)


@pytest.fixture(scope="module")
def spoilt(prepared: Path) -> Iterator[LiveServer]:
    folder = copied(prepared, prepared.parent / "spoilt")
    for library, file in SPOILT.items():
        copied(folder / "data" / "sample", folder / "data" / library)
        (folder / "data" / library / file).write_bytes(b"no file of this engine")
    with serving(folder) as live:
        yield live


async def replies(http: httpx.AsyncClient) -> list[httpx.Response]:
    """Return what is answered to requests that cannot be met."""
    found = []
    for library in (*SPOILT, "missing"):
        at = f"/libraries/{library}"
        found += [await http.get(f"{at}{path}") for path in ("", "/passages", "/entities", "/events", "/chapters")]
        found += [await http.post("/ask", json={**ASKED, "library": library})]
        found += [await http.post("/ask", json={**ASKED, "library": library}, headers=STREAM)]
        found += [await http.post("/tools/search_memory", json={"query": "灯塔", "library": library})]
        found += [await http.post(f"{at}/merges", json={"name": "苏晚亭", "into": "苏晚照"})]
    found += [await http.get("/libraries"), await http.get("/networks/missing")]
    for name, content, fields in FAULTS:
        files = {"file": (name, content)}
        found += [await http.post("/previews", files=files, data=fields)]
        begun = await http.post("/libraries/sample/sources", files=files, data=fields)
        found += [begun, await ended(http, begun)]
    return found


async def ended(http: httpx.AsyncClient, begun: httpx.Response) -> httpx.Response:
    reply = begun
    while reply.is_success and reply.json()["state"] == "running":
        await asyncio.sleep(0.05)
        reply = await http.get(f"/jobs/{begun.json()['id']}")
    return reply


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_no_answer_names_a_folder_or_a_command(spoilt: LiveServer, language: str) -> None:
    async with httpx.AsyncClient(base_url=spoilt.url + API, timeout=120, headers={"accept-language": language}) as http:
        found = await replies(http)
    refused = [one for one in found if not one.is_success or "failed" in one.text or "problem" in one.text]
    assert len(refused) > 30, [one.status_code for one in found]
    for one in found:
        said = f"{one.request.url} {one.status_code} {one.text}"
        assert str(spoilt.folder) not in one.text and str(spoilt.data.resolve()) not in one.text, said
        assert "/tmp" not in one.text and "wenmai " not in one.text and "--" not in one.text, said
