"""Which service answers, and the small parts that meet what a server lacks."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from tests.gemini.space import LOOPBACK_MODEL
from tests.openai_service.dialect import DIALECTS
from tests.openai_service.fixtures import openai, openai_server
from tests.openai_service.schema_rules import strict_problems
from tests.openai_service.space import OpenAI
from tools.errors import ConfigError, ModelError
from wenmai.app.container import Services
from wenmai.app.doctor import check_mind, check_model
from wenmai.ingestion.model.pieces import Findings
from wenmai.minds.choice import endpoint_of, role_model, role_models
from wenmai.minds.model.probing import PING_TOOL, probe_capabilities
from wenmai.minds.model.providers.exchange import (
    ThoughtSplitter,
    WithoutCalls,
    as_json,
    as_text,
    flaw,
    only_calls,
    split,
    strict,
    value_in,
    with_calls,
)
from wenmai.minds.model.providers.openai import adapted, service_of
from wenmai.minds.model.schemas import Graded, Keywords, Lessons, Queries, Resolved
from wenmai.settings.settings import contradictions, load_settings

__all__ = ["openai", "openai_server"]  # fixtures

SECRET = "sk-very-secret"
LOCAL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no `.env`."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ({}, None),
        ({"google_api_key": "k"}, "gemini"),
        ({"openai_api_key": SECRET}, "openai"),
        ({"openai_base_url": LOCAL, "openai_model": "qwen3:8b"}, "openai"),
        ({"google_api_key": "k", "openai_api_key": SECRET}, "gemini"),
        ({"google_api_key": "k", "openai_api_key": SECRET, "model_provider": "openai"}, "openai"),
        ({"google_api_key": "k", "model_provider": "openai"}, None),
        ({"openai_api_key": "  "}, None),
    ],
)
def test_which_service_answers(given: dict[str, Any], provider: str | None) -> None:
    """S000-40: Gemini where both are set, unless MODEL_PROVIDER says otherwise; none is the offline mind."""
    settings = load_settings(**given)
    services = Services(settings)
    assert settings.provider == provider
    assert services.assembly.dependencies().mind.name == (provider or "offline")
    assert SECRET not in repr(settings) + (repr(endpoint_of(settings)) if provider else "")
    lonely = provider is None and "model_provider" in given
    assert any("MODEL_PROVIDER=openai" in one for one in contradictions(settings)) == lonely


def test_the_models_of_another_service() -> None:
    """S003-03 S003-27: OPENAI_MODEL for every role without its own; Gemini's defaults are not sent elsewhere."""
    settings = load_settings(openai_base_url=LOCAL, openai_model="deepseek-chat", refiner_model="small")
    models = role_models(settings)
    assert [models.agent.id, models.grader.id, models.refiner.id, models.resolver.id] == [
        "deepseek-chat",
        "deepseek-chat",
        "small",
        "deepseek-chat",
    ]
    assert (models.grader.variable, models.refiner.variable) == ("OPENAI_MODEL", "REFINER_MODEL")
    assert (models.grader.thinking, models.agent.prefix, models.grader.prefix) == ("low", "OPENAI", "GRADER")
    chosen = load_settings(openai_api_key="k", openai_thinking="high", grader_thinking="low", openai_temperature=0.5)
    assert (role_models(chosen).agent.thinking, role_models(chosen).grader.thinking) == ("high", "low")
    assert role_models(chosen).agent.temperature == 0.5 and role_model(chosen, "extractor").thinking == "low"


def test_an_address_needs_a_model() -> None:
    """S000-40: only OpenAI's own address has a default; an address with a password is refused, for it is logged."""
    with pytest.raises(ConfigError, match="OPENAI_MODEL: must name a model"):
        load_settings(openai_base_url=LOCAL)
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        load_settings(openai_base_url="http://me:secret@host/v1", openai_model="m")


def test_a_service_is_called_by_its_host() -> None:
    """S003-03: messages name the service that was asked."""
    settings = load_settings(openai_api_key="k", openai_base_url="https://api.deepseek.com/v1", openai_model="m")
    assert service_of(endpoint_of(settings)).name == "api.deepseek.com"
    assert service_of(endpoint_of(load_settings(openai_api_key="k"))).name == "OpenAI"
    shown = check_mind(settings).text
    assert "https://api.deepseek.com/v1" in shown and "回答 m" in shown


@pytest.mark.parametrize("name", [None, "text only"])
async def test_doctor_asks_the_service(openai: OpenAI, name: str | None, caplog: pytest.LogCaptureFixture) -> None:
    """PLA-31: one line says what works; the key is neither shown nor logged."""
    caplog.set_level(logging.DEBUG)
    openai.dialect = DIALECTS[name] if name else openai.dialect
    openai.answer(lambda request: {"text": '{"word": "pong"}'})
    services = Services(
        load_settings(openai_api_key=openai.key, openai_base_url=openai.url, openai_model=LOOPBACK_MODEL)
    )
    found, speed = await check_model(services)
    await services.close()
    works = "不可用" if name else "可用"
    assert found.ok is (None if name else True)
    assert f"工具{works}，JSON Schema{works}，流式可用，用量可用" in found.text
    assert ("建议设置 MODEL_PROFILE=small" in speed.text) is bool(
        name
    )  # PLA-122: without tools or a schema it only words
    assert openai.key not in found.text + speed.text + caplog.text


async def test_doctor_says_what_to_mend(openai: OpenAI) -> None:
    """S003-03: a wrong key is a fault, by the name of its variable; without a service nothing is asked."""
    settings = load_settings(openai_api_key=SECRET, openai_base_url=openai.url, openai_model=LOOPBACK_MODEL)
    services = Services(settings)
    (found,) = await check_model(services)
    await services.close()
    assert found.ok is False and "OPENAI_API_KEY" in found.text and SECRET not in found.text
    assert await check_model(Services(load_settings())) == []


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [("/v1", 503, "503"), ("/v1", 429, "429"), ("", 404, "/v1"), ("/v1", None, "0.5")],
)
async def test_doctor_says_what_a_service_does_wrong(path: str, status: int | None, said: str) -> None:
    """S003-03 PLA-31: what is down, spent, at another path or silent is a fault, in one line."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if status:
            writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}".encode())
            await writer.drain()
        while not status and await reader.read(1000):
            pass
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{path}"
    settings = load_settings(
        openai_api_key=SECRET,
        openai_base_url=address,
        openai_model=LOOPBACK_MODEL,
        model_timeout_s=30 if status else 0.5,
    )
    services = Services(settings)
    (found,) = await check_model(services)
    await services.close()
    server.close()
    await server.wait_closed()
    assert found.ok is False and said in found.text and "\n" not in found.text


class Halfway:
    """A provider that answers the first question, then is down."""

    async def turn(self, *given: Any, **more: Any) -> AIMessage:
        """Answer with a call."""
        return AIMessage("", tool_calls=[{"name": "ping", "args": {"word": "pong"}, "id": "1"}])

    async def structured(self, *given: Any) -> AIMessage:
        """Fail as a service does that is spent."""
        raise ModelError("429", transient=True)

    def lacks(self, settings: Any) -> list[str]:
        """Lack nothing."""
        return []


async def test_a_service_that_is_down_does_not_lack_a_schema() -> None:
    """PLA-31: only a refusal says that something is not there."""
    with pytest.raises(ModelError, match="429"):
        await probe_capabilities(Halfway(), role_models(load_settings(openai_api_key=SECRET)).agent)  # type: ignore[arg-type]  # what is asked of it


@pytest.mark.parametrize("schema", [Graded, Resolved, Queries, Keywords, Lessons, Findings])
def test_schemas_are_in_the_strict_subset(schema: Any) -> None:
    """S000-D09: objects closed, every property required, no ranges; a list stands in an object."""
    assert list(strict_problems(strict(schema))) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('好的：\n```json\n{"a": [1]}\n```\n完毕', {"a": [1]}),
        ('答案是 {"a": "x\ny"} 。', {"a": "x\ny"}),
        ('["甲", "乙"]', ["甲", "乙"]),
        ("没有", None),
        ('{"a": ', None),
    ],
)
def test_json_in_a_text(text: str, value: Any) -> None:
    """PLA-31: fences and words around it are no harm; a cut answer is none."""
    assert value_in(text) == value


def test_a_schema_that_comes_back_is_no_answer() -> None:
    """PLA-31: also where every field of the answer has a default; a wrapped list is unwrapped."""
    assert flaw(AIMessage('{"type": "object", "properties": {}}'), Lessons) and flaw(AIMessage("{}"), Queries)
    assert flaw(AIMessage('{"lessons": []}'), Lessons) == ""
    assert as_json(AIMessage('{"items": ["甲"]}')).text == '["甲"]'


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_thoughts_in_a_stream(size: int) -> None:
    """PLA-30: a tag may lie across pieces; what only looks like one is text."""
    text, splitter = "<think>想<b</think>答 < 案 <thin", ThoughtSplitter()
    pieces = [splitter.take(text[at : at + size]) for at in range(0, len(text), size)] + [splitter.end()]
    assert ("".join(one for one, _ in pieces), "".join(one for _, one in pieces)) == ("想<b", "答 < 案 <thin")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<think>\n想\n</think>\n\n答", ("想", "答")),
        ("想\n</think>\n答", ("想", "答")),
        ("<think>想到一半", ("想到一半", "")),
        ("答", ("", "答")),
    ],
)
def test_thoughts_in_a_text(text: str, found: tuple[str, str]) -> None:
    """PLA-30: templates open the tag in the prompt, and cut replies have no end."""
    assert split(text) == found


def test_calls_in_a_text() -> None:
    """PLA-31: blocks, an unclosed last one, a bare object; in a text they count only for a server without tools."""
    block = '<tool_call>{"name": "ping", "arguments": {"word": "a"}}'
    two = with_calls(AIMessage(f"先查\n{block}</tool_call>\n{block}"), [PING_TOOL])
    assert [call["args"] for call in two.tool_calls] == [{"word": "a"}] * 2 and two.text == "先查"
    assert len({call["id"] for call in two.tool_calls}) == 2
    bare = '```json\n{"name": "ping", "parameters": "{\\"word\\": \\"b\\"}"}\n```'
    assert with_calls(AIMessage(bare), [PING_TOOL]).tool_calls[0]["args"] == {"word": "b"}
    assert only_calls(AIMessage(f"书里写着 {block}</tool_call>"), [PING_TOOL]).tool_calls == []
    assert len(only_calls(AIMessage(f"{block}</tool_call>"), [PING_TOOL]).tool_calls) == 1
    assert with_calls(AIMessage('{"name": "other"}'), [PING_TOOL]).tool_calls == []


def test_messages_of_a_server_without_tools() -> None:
    """PLA-31 PLA-32: calls and results are text, user and assistant take turns, one system message is in front."""
    called = AIMessage("", tool_calls=[{"name": "ping", "args": {"word": "a"}, "id": "1", "type": "tool_call"}])
    messages = [
        SystemMessage("甲"),
        HumanMessage("问"),
        called,
        ToolMessage("有", tool_call_id="1"),
        HumanMessage("答"),
    ]
    made = adapted(as_text(messages, [PING_TOOL]))
    assert [one.type for one in made] == ["system", "human", "ai", "human"]
    assert made[0].text.startswith("甲") and '"name": "ping"' in made[0].text
    assert '<tool_call>{"name": "ping"' in made[2].text and not getattr(made[2], "tool_calls", None)
    assert made[3].text == '<tool_result name="ping">\n有\n</tool_result>\n\n答'


class Heard:
    """Keeps what it takes; a restart is kept as a dash."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def words(self, piece: str) -> None:
        self.pieces.append(piece)

    def thought(self, words: str) -> None:
        self.pieces.append(f"({words})")

    def restart(self) -> None:
        self.pieces.append("-")


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("两人一见如故。", "两人一见如故。"),
        ("a < b，书里写着 <tool>。", "a < b，书里写着 <tool>。"),
        (f'先查\n<tool_call>{{"name": "{PING_TOOL["name"]}", "arguments": {{}}}}</tool_call>', "先查\n"),
        (f'{{"name": "{PING_TOOL["name"]}", "arguments": {{}}}}', ""),
        ('{"不是": "调用"}', '{"不是": "调用"}'),
        ("书里写着 <tool_call>，没有别的。", "书里写着 <tool_call>，没有别的。"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_call_in_text_is_not_heard(text: str, heard: str, size: int) -> None:
    """LOP-19 PLA-31: other text is passed on as it comes, whatever tags it holds."""
    listener = Heard()
    shown = WithoutCalls(listener)
    for at in range(0, len(text), size):
        shown.words(text[at : at + size])
    shown.end(with_calls(AIMessage(text), [PING_TOOL]))
    assert "".join(listener.pieces) == heard


def test_a_turn_that_begins_anew_is_not_heard_twice() -> None:
    """PLA-31: what was held of the first one is forgotten."""
    listener = Heard()
    shown = WithoutCalls(listener)
    shown.words("第一次<tool")
    shown.restart()
    shown.thought("想")
    shown.words("第二次")
    shown.end(AIMessage("第二次"))
    assert listener.pieces == ["第一次", "-", "(想)", "第二次"]
