"""A story in the first person: questions by its narrator's name, counts of names, and a narrator that a person sets."""

from pathlib import Path

import pytest

from tools.errors import InputError
from tools.records import PassageFilter
from wenmai.agent import open_agent
from wenmai.application.caller import Caller
from wenmai.application.entities import EntityOperations, Narrator
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

STORY = """第一章 渡口

我从来不喝酒。父亲死后，我在渡口替人写信，一封两文钱。
“沈砚秋，”老何在门外喊我，“你的信写好了没有？”

第二章 学堂

老何的儿子叫何小满，我教了他三年。那年冬天我把砚台卖了，换了一袋米。

第三章 省城

何小满去了省城。我一个人守着渡口，老何每天都来。
"""


async def test_a_narrator_by_name(tmp_path: Path) -> None:
    """STO-36 LOP-24: 沈砚秋 is who says 我; a person can set another one, for some chapters, and take it back."""
    story = tmp_path / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    async with open_agent(load_settings(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces")) as agent:
        services = agent.services
        request = IngestRequest(path=story, library="ferry")
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
        entities = EntityOperations(services, Caller.local())

        sold = await agent.ask("沈砚秋卖了什么？", library="ferry")
        assert sold.result.status == "answer" and "砚台" in sold.result.answer.split("\n")[0]
        counted = await agent.ask("何小满出现在几章里？", library="ferry")
        assert counted.result.answer.startswith("“何小满”在全书的 2 章、2 段中出现，共 2 次。")
        guarded = await agent.ask("何小满出现在几章里？", library="ferry", as_of_chapter=2)
        assert "到第 1 部第 2 章" in guarded.result.answer and "1 章、1 段" in guarded.result.answer
        uncounted = await agent.ask("老何来过渡口几次？", library="ferry")
        assert uncounted.result.status == "not_found" or "每天" in uncounted.result.answer

        async def tags() -> list[bool]:
            rows = await services.passages.scroll("ferry", PassageFilter())
            return ["沈砚秋" in row.entities for row in rows]

        assert await tags() == [True, True, True]
        assert {one.name for one in (await entities.narrators("ferry")).chapters} == {"沈砚秋"}
        changed = await entities.set_narrator("ferry", Narrator(name="何小满", part=1, first=2, last=3))
        assert [(one.name, one.by) for one in changed.chapters] == [("沈砚秋", "text"), *[("何小满", "person")] * 2]
        assert changed.passages == 2 and await tags() == [True, False, False]
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
        assert await tags() == [True, False, False]
        with pytest.raises(InputError, match="张三"):
            await entities.set_narrator("ferry", Narrator(name="张三"))
        assert (await entities.undo_narrators("ferry")).passages == 2 and await tags() == [True, True, True]
