"""What LangChain would send by itself, past our own client, because the environment asks for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import langsmith
import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.langchain import wait_for_all_tracers
from langsmith import utils

from tests.langsmith_service.server import LangSmithServer
from tests.small_story import Opening
from tests.smith.conftest import KEY
from wenmai.app.container import Services
from wenmai.settings.settings import Settings, load_settings

CHAPTER = "清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。"
VARIABLES = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2")


@pytest.fixture(autouse=True)
def environment(smith: LangSmithServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment in which LangChain finds the service; it remembers variables, and forgets them here."""
    monkeypatch.setenv("LANGSMITH_ENDPOINT", smith.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", KEY)
    forget_variables()
    yield
    langsmith.configure(client=None, enabled=None, project_name=None)
    forget_variables()


def forget_variables() -> None:
    cached: Any = utils.get_env_var
    cached.cache_clear()


def settings_of(folder: Path, **settings: Any) -> Settings:
    return load_settings(_env_file=None, data_dir=folder / "data", trace_dir=folder / "traces", **settings)


async def read_a_chapter() -> None:
    """Call a model as an ingest does: without any graph of ours."""
    await RunnableLambda[str, str](lambda text: text, name="extractor").ainvoke(CHAPTER)
    wait_for_all_tracers()


async def test_without_services_langchain_sends_a_chapter(
    smith: LangSmithServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tests below look for is what happens without us."""
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    forget_variables()
    await read_a_chapter()
    assert CHAPTER in smith.records.said


async def test_an_ingest_hides_contents_too(
    smith: LangSmithServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-01: services that build no graph, as those of an ingest, send by our own client."""
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    services = Services(settings_of(tmp_path, langsmith_hide_contents=True))
    await read_a_chapter()
    await services.close()
    assert [run["name"] for run in smith.records.roots] == ["extractor"] and smith.records.keys == {KEY}
    assert CHAPTER not in smith.records.said


@pytest.mark.parametrize("variable", VARIABLES)
async def test_the_environment_alone_sends_nothing(
    smith: LangSmithServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """PLA-09: what the settings do not ask for is not traced, whatever LangChain reads in the environment."""
    monkeypatch.setenv(variable, "true")
    Services(settings_of(tmp_path, langsmith_tracing=False))
    await read_a_chapter()
    assert smith.records.texts == []


async def test_no_question_is_sent_unasked(
    opening: Opening, smith: LangSmithServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-09: without LANGSMITH_TRACING nobody is told of a question."""
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    async with opening(langsmith_tracing=False) as agent:
        assert agent.services.smith is None
        assert (await agent.ask("苏晚亭是谁？", library="river", user_id="alice")).text
    wait_for_all_tracers()
    assert smith.records.texts == []
