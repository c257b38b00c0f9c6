"""The sample story through the real client, the loopback service and the embedded engines."""

from pathlib import Path

from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini
from tests.reading.scripted import IN, OUT, STORY, ScriptedReader
from tests.reading.world import LIBRARY, embedded
from tools.records import Horizon
from wenmai.ingestion.model.pieces import CALL, calls_of, pieces_of
from wenmai.ingestion.sources.loaders import load


async def test_the_same_graph_twice_and_nothing_sent_the_second_time(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-23 S003-07: two libraries are equal; a second run of one sends nothing, nor does a new title."""
    model = ScriptedReader()
    gemini.answer(model)
    async with embedded(tmp_path / "one", gemini) as world:
        report = await world.ingest(STORY, world.by_gemini(call_size=CALL))
        first, sent = await world.state(), len(gemini.history)
        again = await world.ingest(STORY, world.by_gemini(call_size=CALL))
        assert len(gemini.history) == sent
        assert (again.written, again.spending.calls) == (0, 0)
        renamed = await world.ingest(STORY, world.by_gemini(call_size=CALL), title="另一个书名")
        assert len(gemini.generated) == report.spending.calls and renamed.spending.calls == 0
    async with embedded(tmp_path / "two", gemini) as world:
        await world.ingest(STORY, world.by_gemini(at_a_time=1, call_size=CALL))
        assert await world.state() == first
    gemini.assert_clean()
    pieces = pieces_of(load(STORY), "zh")
    calls = len(calls_of(pieces))
    assert len(model.texts) == 2 * len(pieces) and report.spending.calls == calls < len(pieces) / 3
    assert (report.spending.input_tokens, report.spending.output_tokens) == (IN * calls, OUT * calls)
    assert report.events > 0 and report.relations > 0 and report.merges > 0
    assert {one.model for one in gemini.history} == {LOOPBACK_MODEL, LOOPBACK_EMBEDDER}


async def test_findings_are_verbatim_and_guarded(tmp_path: Path, gemini: Gemini) -> None:
    """STO-06 STO-19: each piece's two invented quotations are dropped and counted; evidence stands where it says."""
    model = ScriptedReader()
    gemini.answer(model)
    async with embedded(tmp_path, gemini) as world:
        report = await world.ingest(STORY, world.by_gemini(call_size=CALL))
        texts = [chapter.text for chapter in await world.catalog.chapters(LIBRARY)]
        names = sorted({name.entity for name in await world.graph.names(LIBRARY, None)})
        relations = [row for name in names for row in await world.graph.relations(LIBRARY, name, None)]
        events = [row for name in names for row in await world.graph.events(LIBRARY, name, None, None)]
        early = await world.graph.names(LIBRARY, Horizon(1, 1))
    assert report.dropped >= 2 * len(model.texts) - 4
    read = [row for row in relations if row.description == "同行"]
    assert read and all(row.chapter is not None for row in read)
    quoted = [row.evidence for row in relations] + [row.evidence for row in events]
    assert all("编的" not in quotation for quotation in quoted)
    assert all(any(quotation in text for text in texts) for quotation in quoted)
    assert {name.entity for name in early} < set(names)
