"""Commands beside a running server that asks for keys: they work for the user of the key, and for no other."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.command_line import run_command
from tests.integration.live_server import LiveServer, environment, wenmai
from tests.integration.own_server import API, serving
from tests.temporary import copied

PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>雾港渡口记</dc:title><dc:language>zh</dc:language></metadata>
<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"""
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
<rootfile full-path="o.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
HELD = ("entities", "list", "--library", "sample")  # of what the server has opened
CHAPTER = (
    """<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>第一回 渡口</h1><p>阿满在渡口卖茶。</p></body></html>"""
)


@dataclass(frozen=True, slots=True)
class Keyed:
    """A running server with the keys of two users."""

    live: LiveServer
    keys: dict[str, str]

    def done(self, user: str, *arguments: str, code: int = 0, **settings: str) -> str:
        """Run a command with the key of a user."""
        own = {**environment(self.live.folder), "WENMAI_API_KEY": self.keys.get(user, user), **settings}
        found = run_command(arguments, folder=self.live.folder, environment=own)
        assert found.returncode == code, found.stderr
        return found.stdout if code == 0 else found.stderr

    def refused(self, user: str, *arguments: str, code: int = 2, **settings: str) -> str:
        """Return the one line with which a command is refused."""
        (line,) = self.done(user, *arguments, code=code, **settings).strip().splitlines()
        return line


@pytest.fixture(scope="module")
def keyed(prepared: Path) -> Iterator[Keyed]:
    folder = copied(prepared, prepared.parent / "a_key")
    keys = {
        user: wenmai(folder, "keys", "add", "--user", user, *more).stdout.strip()
        for user, more in (("alice", ("--admin",)), ("bob", ()))
    }
    with serving(folder) as live:
        for key in keys.values():
            with httpx.Client(base_url=live.url + API, headers={"authorization": f"Bearer {key}"}, timeout=60) as http:
                http.post("/ask", json={"question": "苏晚亭是谁？", "library": "sample"}).raise_for_status()
                http.post("/memories", json={"content": "灯", "key": "m0"}).raise_for_status()
                file = {"file": ("first.md", "每年五天。".encode())}
                http.post("/documents", files=file, data={"thread_id": "s0"}).raise_for_status()
        yield Keyed(live, keys)


def test_memories_are_those_of_the_key(keyed: Keyed) -> None:
    """Nothing of bob's is told, written or deleted with the key of alice, and his name is not reported as done."""
    keyed.done("alice", "memory", "add", "我养猫", "--key", "k1")
    keyed.done("bob", "memory", "add", "我养狗", "--key", "k1", "--user", "bob")
    for words in (
        ("add", "多余", "--user", "bob"),
        ("list", "--user", "bob"),
        ("show", "k1", "--user", "bob"),
        ("search", "养", "--user", "bob"),
        ("export", "--user", "bob"),
        ("forget", "k1", "--yes", "--user", "bob"),
        ("list", "--user", "local"),
    ):
        line = keyed.refused("alice", "memory", *words)
        assert "用户是 alice" in line and "遗忘" not in line, words
    rows = [json.loads(line) for line in keyed.done("bob", "memory", "export").splitlines()]
    assert [(row["user_id"], row["content"]) for row in rows] == [("bob", "灯"), ("bob", "我养狗")]
    assert "k1" in keyed.done("alice", "memory", "list") and "我养猫" in keyed.done("alice", "memory", "show", "k1")
    assert "k1" in keyed.done("alice", "memory", "search", "养什么", "--min-score", "0", "--user", "alice")
    (keyed.live.folder / "own.jsonl").write_text(keyed.done("alice", "memory", "export"), encoding="utf-8")
    assert "已导入 0 条记忆" in keyed.done("alice", "memory", "import", "own.jsonl")
    assert "alice" in keyed.refused("bob", "memory", "import", "own.jsonl")
    assert "用户 alice 的记忆：k1" in keyed.done("alice", "memory", "forget", "k1", "--yes")
    assert "我养狗" in keyed.done("bob", "memory", "show", "k1")


def test_a_memory_is_shown_with_all_that_was_kept(keyed: Keyed) -> None:
    row = {"memory_key": "m", "content": "灯在阁楼", "content_metadata": {"speaker": "阿满"}, "keywords": ["灯"]}
    (keyed.live.folder / "one.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    keyed.done("bob", "memory", "import", "one.jsonl")
    told = keyed.done("bob", "memory", "show", "m")
    assert "阿满" in told and "灯" in told and "灯在阁楼" in told
    assert "共 3 条" in keyed.done("bob", "memory", "list", "--limit", "1")


def test_questions_and_documents_are_those_of_the_key(keyed: Keyed) -> None:
    asked = ("ask", "苏晚亭是谁？", "--library", "sample", "--json")
    record = json.loads(keyed.done("alice", *asked))
    assert "守塔人" in record["answer"] and record["question"] == "苏晚亭是谁？"
    assert "用户是 alice" in keyed.refused("alice", *asked, "--user", "bob")
    assert "sensitive_memory" in keyed.refused("alice", *asked, "--permissions", "sensitive_memory")
    assert "account" in keyed.refused("alice", *asked, "--account", "other")
    (keyed.live.folder / "pay.md").write_text("# 工资\n\n每月十日。", encoding="utf-8")
    keyed.done("alice", "docs", "add", "pay.md", "--session", "s1")
    assert "pay.md" in keyed.done("alice", "docs", "list", "--session", "s1", "--user", "alice")
    assert "用户是 bob" in keyed.refused("bob", "docs", "list", "--session", "s1", "--user", "alice")
    assert "用户是 alice" in keyed.refused("alice", "mcp", "--user", "bob")


def test_a_key_that_is_none(keyed: Keyed) -> None:
    """What is wrong with it is said in the language of the terminal: it is missing, or not known."""
    assert "需要密钥" in keyed.refused("", *HELD)
    assert "不接受" in keyed.refused("wm_0", *HELD) and "不接受" in keyed.refused("wm_0", "memory", "list")
    assert "does not accept the key" in keyed.refused("wm_0", *HELD, LC_ALL="en_US.UTF-8")


PROXY = """
import http.server, sys
class Broken(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(502)
        self.end_headers()
        self.wfile.write(b"<html>Bad Gateway</html>")
server = http.server.HTTPServer(("127.0.0.1", 0), Broken)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_a_page_in_place_of_an_answer(keyed: Keyed) -> None:
    """What a proxy says is one line with its status."""
    left = keyed.live.data / "server.json"
    known = json.loads(left.read_text(encoding="utf-8"))
    with subprocess.Popen([sys.executable, "-c", PROXY], stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout is not None
        port = int(proxy.stdout.readline())
        left.write_text(json.dumps({**known, "url": f"http://127.0.0.1:{port}"}), encoding="utf-8")
        try:
            assert "HTTP 502" in keyed.refused("alice", *HELD, code=1)
        finally:
            left.write_text(json.dumps(known), encoding="utf-8")
            proxy.terminate()


def test_the_title_of_a_book_is_that_of_its_file(keyed: Keyed) -> None:
    """As without a server; an option that its API lacks is refused, and nothing is taken in."""
    with zipfile.ZipFile(keyed.live.folder / "book7.epub", "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("o.opf", PACKAGE)
        book.writestr("a.xhtml", CHAPTER)
    ingest = ("ingest", "book7.epub", "--library", "sample")
    assert "先停止" in keyed.refused("alice", *ingest, "--mind", "offline", code=1)
    assert "book7" not in keyed.done("alice", "libraries")
    keyed.done("alice", *ingest)
    assert "雾港渡口记" in keyed.done("alice", "libraries")
    keyed.done("alice", *ingest, "--title", "渡口")
    assert "雾港渡口记" not in keyed.done("alice", "libraries")


def test_a_session_by_name_is_each_users_own(keyed: Keyed) -> None:
    """PLA-02: two users of a server take the same name, and neither sees the other's files or talk."""
    ask = ("ask", "钥匙在哪里？", "--toolkits", "documents", "--json", "--session", "keys")
    for user, place in (("alice", "门卫室"), ("bob", "档案室")):
        (keyed.live.folder / "keys.md").write_text(f"钥匙放在{place}。", encoding="utf-8")
        keyed.done(user, "docs", "add", "keys.md", "--session", "keys")
        assert "keys.md" in keyed.done(user, "docs", "list", "--session", "keys")
    found = {user: json.loads(keyed.done(user, *ask)) for user in ("alice", "bob")}
    assert "门卫室" in found["alice"]["answer"] and "档案室" in found["bob"]["answer"]
    assert found["alice"]["thread_id"] != found["bob"]["thread_id"]
    again = json.loads(keyed.done("alice", *ask))
    assert again["thread_id"] == found["alice"]["thread_id"]
