"""MODEL_PROFILE=small at Python's door: the offline mind finds, the small model words, code checks (loop.md)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_MODEL
from tests.openai_service.space import OpenAI
from tests.small_model import SmallModel
from tools.language import tokens
from wenmai.agent import Agent, open_agent
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

STORY = """第一回 雾港

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照把父亲留下的铜灯藏在灯塔的地窖里。码头上的人都说这盏灯早就沉了海。

第二回 大雪

大雪下了三天，渡船停了。陆沉舟在茶馆里修好了一只旧钟，掌柜送他一把红伞。

第三回 铜灯

开春以后，守塔的老秦扫地窖，找到了那盏铜灯，把它挂在了塔顶。苏晚照站在塔下看了一夜。
"""
LAMP = "苏晚照把铜灯藏在哪里？"
CLOCK = "陆沉舟在茶馆里修好了什么？"
FOUND = "谁找到了铜灯？"


@asynccontextmanager
async def opened(folder: Path, openai: OpenAI, model: SmallModel, **more: Any) -> AsyncIterator[Agent]:
    openai.play(always(model))
    settings = load_settings(
        data_dir=folder / "data",
        trace_dir=folder / "traces",
        openai_api_key=openai.key,
        openai_base_url=openai.url,
        openai_model=LOOPBACK_MODEL,
        model_profile="small",
        **more,
    )
    story = folder / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    async with open_agent(settings) as agent:
        services = agent.services
        stores = services.stores
        await ingest(
            IngestRequest(path=story, library="harbour"),
            stores=stores,
            embedder=services.embedder,
            tagger=services.reader,
        )
        yield agent


async def asked(agent: Agent, question: str, **context: Any) -> dict[str, Any]:
    return (await agent.ask(question, library="harbour", **context)).record


async def test_the_model_words_what_the_offline_mind_found(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-110: one streamed call without tools, of 1,000 tokens; marks come from code, the grade from the reader."""
    model = SmallModel(habits=("plain",))
    async with opened(tmp_path, openai, model) as agent:
        record = await asked(agent, LAMP)
    [request] = openai.history
    assert request.method == "streamGenerateContent" and not request.tools
    assert request.body["max_tokens"] == 400 and request.body["temperature"] <= 0.2
    assert tokens(model.prompts[0]) < 1_100 and model.prompts[0].count("\n- ") == 2
    assert ("灯塔的地窖" in record["answer"] and record["answer"].endswith("[1]")) or "[1]" in record["answer"]
    assert record["citations"][0]["quote"] in STORY and record["passed"] and record["graded_by"] == "offline"
    assert (record["mind"], record["degraded"], record["notes"]) == ("openai", False, [])
