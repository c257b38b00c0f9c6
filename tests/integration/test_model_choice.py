"""The model service is chosen, tried and forgotten: in Python, by HTTP and by commands, where the settings let it."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import wenmai
from tests.command_line import run_command
from tests.gemini.replies import Reply
from tests.gemini.space import LOOPBACK_MODEL
from tests.integration.live_server import environment, running
from tests.integration.live_server import wenmai as command
from tests.integration.own_server import API, serving
from tests.openai_service.fixtures import answering, openai_server
from tests.openai_service.refusals import error
from tests.openai_service.server import ChatServer
from tests.openai_service.space import OpenAI
from tests.temporary import copied
from tools.errors import InputError, StoreFull
from wenmai.settings.model_file import MODEL_FILE

__all__ = ["openai_server"]

KEY = "chosen-key-of-no-known-form-6789"
ASKED = {"question": "苏晚亭是谁？", "library": "sample"}
MODEL = "/settings/model"


@pytest.fixture
def service(openai_server: ChatServer) -> Iterator[OpenAI]:
    """A service that answers anything, at a key that is long enough to be told by its end."""
    with answering(openai_server, KEY) as space:
        yield space


def typed(space: OpenAI, **more: Any) -> dict[str, Any]:
    return {"provider": "openai", "base_url": space.url, "model": LOOPBACK_MODEL, "key": space.key, **more}


def test_a_service_is_chosen_on_a_server(service: OpenAI, prepared: Path) -> None:
    """PLA-142: tried without being kept, then asked from the next question on, after a restart too, until forgotten."""
    folder = copied(prepared, prepared.parent / "chosen")
    seen: list[str] = []
    with serving(folder) as live, httpx.Client(base_url=live.url + API, timeout=120) as http:
        http.event_hooks = {"response": [lambda reply: seen.append(reply.read().decode())]}
        assert http.get(MODEL).json() == {
            **dict.fromkeys(("provider", "base_url", "model", "key")),
            **{"is_chosen": False, "may_choose": True, "service_variables": [], "model_variables": []},
        }
        assert http.post("/ask", json=ASKED).json()["mind"] == "offline"
        tried = http.post("/settings/test", json=typed(service)).json()
        assert tried["ok"] and tried["model"] == LOOPBACK_MODEL and LOOPBACK_MODEL in tried["text"]
        wrong = http.post("/settings/test", json=typed(service, key="mistyped-key-0123456789")).json()
        assert not wrong["ok"] and "401" in wrong["text"] and "mistyped" not in wrong["text"]
        assert http.get("/settings").json()["model"] is None and not (live.data / MODEL_FILE).exists()
        chosen = http.put(MODEL, json=typed(service)).json()
        assert (chosen["model"], chosen["key"], chosen["is_chosen"]) == (LOOPBACK_MODEL, "…6789", True)
        assert http.get("/settings").json()["model"] == LOOPBACK_MODEL
        before = len(service.history)
        assert http.post("/ask", json=ASKED).json()["mind"] == "openai" and len(service.history) > before
        service.outage = Reply(error(401, f"No such key: {KEY}"), 401)
        refused = http.post("/ask", json=ASKED)
        tried = http.post("/settings/test").json()
        assert refused.json()["mind"] == "offline" and "401" in tried["text"] and "[redacted]" in tried["text"]
        service.outage = None
        kept = http.put(MODEL, json=typed(service, key=None)).json()
        elsewhere = http.put(MODEL, json=typed(service, key=None, base_url="http://127.0.0.1:9/v1")).json()
        assert kept["key"] == "…6789" and elsewhere["key"] is None
        assert "APIConnectionError" in http.post("/settings/test").json()["text"]
        http.put(MODEL, json=typed(service)).raise_for_status()
        log = live.log
    with serving(folder) as live, httpx.Client(base_url=live.url + API, timeout=120) as http:
        assert http.get("/settings").json()["model"] == LOOPBACK_MODEL
        assert http.delete(MODEL).json()["model"] is None and not (live.data / MODEL_FILE).exists()
        before = len(service.history)
        assert http.post("/ask", json=ASKED).json()["mind"] == "offline" and len(service.history) == before
        written = [path.read_text("utf-8") for path in live.traces.rglob("*.json")]
        assert written and KEY not in "".join([*seen, *written, log, live.log])


@pytest.mark.costly
def test_on_langgraphs_server(service: OpenAI, prepared: Path) -> None:
    """PLA-142: it asks for its graph at each run, so that the next question is answered by what was chosen."""
    folder = copied(prepared, prepared.parent / "chosen_on_langgraph")
    with running(folder) as live, httpx.Client(base_url=live.url + API, timeout=120) as http:
        minds = [http.post("/ask", json=ASKED).json()["mind"]]
        for method, body in (("PUT", typed(service)), ("DELETE", None)):
            http.request(method, MODEL, json=body).raise_for_status()
            minds.append(http.post("/ask", json=ASKED).json()["mind"])
        assert minds == ["offline", "openai", "offline"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"provider": "other"}, "provider"),
        ({"provider": "openai"}, "key"),
        ({"provider": "gemini", "base_url": "http://127.0.0.1:9"}, "key"),
        ({"provider": "openai", "base_url": "http://127.0.0.1:9/v1"}, "model"),
        ({"provider": "openai", "base_url": "ftp://127.0.0.1", "model": "m"}, "base_url"),
        ({"provider": "openai", "base_url": "http://me:word@127.0.0.1/v1", "model": "m"}, "base_url"),
        ({"provider": "openai", "base_url": "http://[::1/v1", "model": "m"}, "base_url"),
        ({"provider": "openai", "base_url": "http://127.0.0.1:99999/v1", "model": "m"}, "base_url"),
        ({"provider": "openai", "base_url": "http://☃.example/v1", "model": "m"}, "base_url"),
        ({"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "  "}, "model"),
        ({"provider": "openai", "key": f"“{KEY}”"}, "key"),
        ({"provider": "openai", "key": "  "}, "key"),
        ({"provider": "openai", "address": "x"}, "address"),
    ],
)
async def test_what_is_no_service(own: Any, body: dict[str, Any], field: str) -> None:
    """PLA-142: it is named by its field, for a choice and for a try, and a key is not quoted."""
    async with httpx.AsyncClient(base_url=own.url + API, timeout=60) as http:
        for method, path in (("PUT", MODEL), ("POST", "/settings/test")):
            reply = await http.request(method, path, json=body)
            assert reply.status_code == 422 and reply.json()["errors"][0]["field"] == field, reply.text
            assert KEY not in reply.text
    assert not (own.data / MODEL_FILE).exists()


@pytest.mark.parametrize(("allowed", "status"), [("", 403), ("true", 200), ("false", 403)])
def test_who_may_choose(service: OpenAI, tmp_path: Path, allowed: str, status: int) -> None:
    """PLA-142: with keys who administers everything, and that where the operator lets it; no address is tried else."""
    keys = {
        name: command(tmp_path, "keys", "add", "--user", name, *more).stdout.strip()
        for name, more in (("ann", ["--admin"]), ("bo", []), ("cy", ["--admin", "--library", "a"]))
    }
    with serving(tmp_path, MODEL_BY_ADMIN=allowed) as live:
        for name, key in keys.items():
            headers = {"authorization": f"Bearer {key}"}
            with httpx.Client(base_url=live.url + API, headers=headers, timeout=60) as http:
                expected = status if name == "ann" else 403
                assert http.post("/settings/test", json=typed(service)).status_code == expected
                assert http.put(MODEL, json=typed(service)).status_code == expected
                assert http.delete(MODEL).status_code == expected
                shown = http.get(MODEL)
                assert shown.status_code == (200 if name == "ann" else 403)
                assert name != "ann" or shown.json()["may_choose"] is (status == 200)
        assert bool(service.probes) is (status == 200)


async def test_what_the_environment_names_is_not_changed(tmp_path: Path) -> None:
    """PLA-142: the variables are named; of a service of the environment a model alone may be chosen."""
    async with wenmai.open(data_dir=tmp_path, openai_api_key=KEY) as app:
        for given in ({"key": "sk-other-0123456789"}, {"base_url": "http://127.0.0.1:9/v1", "model": "m"}):
            with pytest.raises(InputError, match="OPENAI_API_KEY"):
                await app.settings.set_model("openai", **given)
        chosen = await app.settings.set_model("openai", model="gpt")
        assert (chosen.model, chosen.key, chosen.service_variables) == ("gpt", "…6789", ["OPENAI_API_KEY"])
        assert (await app.settings.unset_model()).model != "gpt"
    async with wenmai.open(data_dir=tmp_path, openai_api_key=KEY, openai_model="m") as app:
        with pytest.raises(InputError, match="OPENAI_MODEL"):
            await app.settings.set_model("openai", model="gpt")


async def test_one_choice_waits_for_another(tmp_path: Path) -> None:
    """PLA-142: the second finds the key that the first has kept."""
    place = {"base_url": "http://127.0.0.1:9/v1"}
    async with wenmai.open(data_dir=tmp_path) as app:
        choose = app.settings.set_model
        for _ in range(3):
            _, second = await asyncio.gather(
                choose("openai", **place, model="one", key=KEY), choose("openai", **place, model="two")
            )
            assert (second.model, second.key) == ("two", "…6789")
            await app.settings.unset_model()


async def test_a_short_key_garbles_no_text(openai_server: ChatServer, tmp_path: Path) -> None:
    """PLA-142: a key that may well be a common word stays in what is said of the service."""
    space = openai_server.open("model")
    space.outage = Reply(error(401, "this model is not yours"), 401)
    async with wenmai.open(data_dir=tmp_path) as app:
        tried = await app.settings.test_model("openai", base_url=space.url, model=LOOPBACK_MODEL, key=space.key)
    openai_server.close(space)
    assert not tried.ok and "this model is not yours" in tried.text


@pytest.mark.parametrize("small_disk", ["64k"], indirect=True)
async def test_on_a_full_disk(small_disk: Path) -> None:
    """PLA-142: it is called full, and what was chosen before stays."""
    (small_disk / "full").write_bytes(b"0" * 60_000)
    chosen = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
    async with wenmai.open(data_dir=small_disk) as app:
        with suppress(OSError), (small_disk / "rest").open("wb", buffering=0) as rest:
            while True:
                rest.write(b"0" * 1_024)
        with pytest.raises(StoreFull):
            await app.settings.set_model("openai", **chosen)
        assert (await app.settings.model()).model is None
        (small_disk / "full").unlink()
        assert (await app.settings.set_model("openai", **chosen)).is_chosen


def test_by_commands(service: OpenAI, tmp_path: Path) -> None:
    """PLA-142: the key is read, not named among the words of a command; beside a server that one changes."""

    def done(*words: str, stdin: str = "", **variables: str) -> Any:
        own = {**environment(tmp_path), **variables}
        return run_command(("model", *words), folder=tmp_path, environment=own, stdin=stdin)

    place = ("--provider", "openai", "--base-url", service.url, "--model", LOOPBACK_MODEL)
    assert "离线" in done("show").stdout
    assert done("test", *place, "--key", stdin="sk-wrong-0123456789\n").returncode == 1
    tried = done("test", *place, "--key", stdin=f"{KEY}\n")
    assert tried.returncode == 0 and "工具可用" in tried.stdout, tried.stderr
    assert "离线" in done("show").stdout
    chosen = done("set", *place, "--key", stdin=f"{KEY}\n")
    assert LOOPBACK_MODEL in chosen.stdout and "…6789" in chosen.stdout and KEY not in chosen.stdout + chosen.stderr
    servers = {"QDRANT_URL": "http://127.0.0.1:1", "NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"}
    assert (
        "下次启动" not in chosen.stdout
        and "下次启动" in done("set", *place, "--key", stdin=f"{KEY}\n", **servers).stdout
    )
    assert "OPENAI_API_KEY" in done("show", OPENAI_API_KEY="sk-1").stdout
    with serving(tmp_path) as live:
        assert json.loads(done("show", "--json").stdout)["model"] == LOOPBACK_MODEL
        assert "离线" in done("unset").stdout
        assert httpx.get(f"{live.url}{API}/settings").json()["mind"] == "offline"
    done("set", *place, "--key", stdin=f"{KEY}\n")
    backup = command(tmp_path, "backup", "b.zip")
    assert backup.returncode == 0 and KEY.encode() not in (tmp_path / "b.zip").read_bytes()
    refused = done("set", *place, MODEL_BY_ADMIN="false")
    assert refused.returncode == 2 and "MODEL_BY_ADMIN" in refused.stderr
