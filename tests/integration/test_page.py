"""The files of the page on both servers, with keys: public, compressed, cached for good, under a strict policy."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.conftest import Guarded
from wenmai.web.page.files import FOLDER, read_page

POLICY = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"}


@pytest.fixture(scope="module", params=["keyed", pytest.param("guarded", marks=pytest.mark.costly)])
def client(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    server: Guarded = request.getfixturevalue(request.param)
    with httpx.Client(base_url=server.server.url, timeout=120) as made:
        yield made


def entry_of(client: httpx.Client) -> str:
    """Return the address of the page's first module."""
    found = re.search(r'src="(/page/[^"]+/app\.js)"', client.get("/").text)
    assert found
    return found[1]


def test_the_document_is_public_and_its_policy_strict(client: httpx.Client) -> None:
    reply = client.get("/")
    assert reply.status_code == 200 and reply.headers["content-type"].startswith("text/html")
    policy = set(reply.headers["content-security-policy"].split("; "))
    assert policy >= POLICY and "unsafe" not in reply.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|<style|\son\w+=|https?://", reply.text)
    assert client.get("/api/v1/libraries").status_code == 401


def test_a_known_document_is_not_sent_again_and_keeps_its_policy(client: httpx.Client) -> None:
    first = client.get("/")
    again = client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]


def test_files_are_compressed_and_kept_for_good(client: httpx.Client) -> None:
    packed = client.get(entry_of(client), headers={"accept-encoding": "gzip"})
    plain = client.get(entry_of(client), headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.content == plain.content == (FOLDER / "app.js").read_bytes()
    assert "immutable" in plain.headers["cache-control"] and plain.headers["x-content-type-options"] == "nosniff"
    assert plain.headers["content-type"].startswith("text/javascript")


def test_only_reading_and_only_files_of_this_version(client: httpx.Client) -> None:
    entry = entry_of(client)
    assert client.head(entry).status_code == 200 and client.post(entry).status_code in (404, 405)
    folder = entry.rpartition("/")[0]
    for path in (
        "/page/0123456789abcdef/app.js",
        f"{folder}/files.py",
        f"{folder}/%2e%2e/app.py",
        f"{folder}/vendor/preact.d.ts",
    ):
        assert client.get(path).status_code == 404, path


def test_each_change_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('{modules}<script src="{root}/app.js">')
    (tmp_path / "app.js").write_text("import { a } from './a.js';\nimport('./late.js');\n")
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    (tmp_path / "late.js").write_text("")
    before = read_page(tmp_path)
    document = before.files["index.html"].plain.decode()
    assert f'href="/page/{before.version}/a.js"' in document and "late.js" not in document
    (tmp_path / "late.js").write_text("1;\n")
    assert read_page(tmp_path).version != before.version
