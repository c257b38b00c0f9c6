"""What an ingest would cost: nothing but countTokens is sent, nothing is written."""

from pathlib import Path

import pytest

from nodes.policy import Price
from tests.gemini.parts import as_json
from tests.gemini.replies import turn, usage
from tests.gemini.response import count_tokens
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini
from tests.reading.scripted import STORY, ScriptedReader, call_answer, reading
from tests.reading.test_reading import ONE, TWO, story
from tests.reading.world import LIBRARY, World, embedded, on_fakes
from wenmai.cli.output.ingest import estimate_lines
from wenmai.ingestion.model.estimate import Cost, Estimate, Terms, estimate
from wenmai.ingestion.model.pieces import CALL, calls_of, pieces_of
from wenmai.ingestion.model.prompts import READER
from wenmai.ingestion.model.tokens import approximate
from wenmai.ingestion.sources.loaders import load
from wenmai.minds.model.extractor import schema_size

PRICES = {LOOPBACK_MODEL: Price(input=1.0, output=10.0), LOOPBACK_EMBEDDER: Price(input=0.1, output=0.0)}


def terms(world: World, *, counts: bool = True, embeds: bool = False, size: int = CALL) -> Terms:
    return Terms(
        mark=world.extractor.mark,
        model=LOOPBACK_MODEL,
        prices=PRICES,
        counter=world.extractor.count if counts else None,
        schema_size=schema_size(),
        call_size=size,
        embedding_model=LOOPBACK_EMBEDDER if embeds else None,
    )


async def test_only_counting_is_sent_and_nothing_written(tmp_path: Path, gemini: Gemini) -> None:
    async with embedded(tmp_path, gemini) as world:
        found = await estimate(STORY, LIBRARY, world.answers, terms(world, embeds=True))
        assert not (tmp_path / "data").exists()
    pieces = pieces_of(load(STORY), "zh")
    assert {one.method for one in gemini.history} == {"countTokens"} and len(gemini.history) <= 4
    calls = calls_of(pieces)
    assert (found.reading.calls, found.kept, found.counted_by) == (len(calls), 0, "service")
    assert len(calls) < len(pieces) / 3
    characters = sum(len(piece.text) for piece in pieces)
    assert found.reading.input_tokens > len(calls) * schema_size() // 4 + characters // 3
    money = (found.reading.input_tokens + 10 * found.reading.output_tokens) / 1e6
    assert found.reading.usd == pytest.approx(money)
    assert found.embedding and found.embedding.usd == pytest.approx(found.embedding.input_tokens / 1e7)
    gemini.assert_clean()


async def test_what_is_told_before_is_what_is_sent(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-05: as many calls, and a few per cent of the tokens: only the names that will be found are reckoned."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        found = await estimate(STORY, LIBRARY, world.answers, terms(world, counts=False))
        await world.ingest(STORY, world.by_gemini(call_size=CALL))
    sent = [approximate(one.system) + approximate(one.prompt) + schema_size() // 4 for one in gemini.generated]
    assert found.reading.calls == len(sent)
    assert found.reading.input_tokens == pytest.approx(sum(sent), rel=0.05)


async def test_without_a_key_nothing_is_sent(tmp_path: Path, gemini: Gemini) -> None:
    async with on_fakes(tmp_path, gemini) as world:
        found = await estimate(STORY, LIBRARY, world.answers, terms(world, counts=False))
    assert gemini.history == []
    assert found.counted_by == "ratio" and not found.measured
    han = sum("\u4e00" <= char <= "\u9fff" for char in STORY.read_text(encoding="utf-8"))
    assert found.reading.output_tokens > 0.9 * han


async def test_kept_answers_cost_nothing_and_tell_how_much_is_answered(tmp_path: Path, gemini: Gemini) -> None:
    """The second estimate is for what is new, by the measured length of answers."""
    gemini.play(turn(as_json(call_answer(reading(ONE))), tokens=usage(500, 3 * approximate(ONE))))
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE), world.by_gemini())
        (tmp_path / "书.txt").write_text(story(ONE, TWO), encoding="utf-8")
        found = await estimate(tmp_path / "书.txt", LIBRARY, world.answers, terms(world))
        assert (found.reading.calls, found.kept, found.measured) == (1, 1, True)
        assert found.output_ratio == pytest.approx(3, rel=0.1)
        await world.ingest(story(ONE, TWO), world.by_gemini())
        none = await estimate(tmp_path / "书.txt", LIBRARY, world.answers, terms(world))
        assert (none.reading.calls, none.reading.input_tokens, none.reading.usd) == (0, 0, 0.0)


async def test_long_texts_are_counted_in_few_requests(tmp_path: Path, gemini: Gemini) -> None:
    async with on_fakes(tmp_path, gemini) as world:
        total = await world.extractor.count(["字" * 60_000] * 5)
    assert len(gemini.history) == 5
    assert total >= 5 * count_tokens("字" * 60_000)


def test_the_prompt_is_short() -> None:
    """A call's fixed part costs less than the text that it comes with."""
    assert approximate(READER["zh"]) < 1_000 and approximate(READER["en"]) < 1_000


def cost(usd: float | None, written: int = 40) -> Cost:
    return Cost(calls=2, input_tokens=300, output_tokens=written, usd=usd)


@pytest.mark.parametrize(
    ("reading", "embedding", "kept", "expected"),
    [
        (cost(0.0123), None, 0, "  阅读：2 次调用，输入约 300 token，输出约 40 token，约 $0.0123"),
        (
            cost(0.0123),
            None,
            3,
            "  阅读：2 次调用，输入约 300 token，输出约 40 token，约 $0.0123；已有 3 份回答，不再请求",
        ),
        (cost(None), cost(None, 0), 0, "  阅读：2 次调用，输入约 300 token，输出约 40 token，价格未知"),
        (cost(0.5), cost(None, 0), 0, "  阅读：2 次调用，输入约 300 token，输出约 40 token，约 $0.5000"),
    ],
)
def test_how_an_estimate_reads(reading: Cost, embedding: Cost | None, kept: int, expected: str) -> None:
    """A known price is a sum; for an unknown one the setting that makes it known is named once."""
    found = Estimate(
        model="gemini-own",
        chapters=2,
        kept=kept,
        reading=reading,
        embedding=embedding,
        counted_by="ratio",
        output_ratio=1.0,
        measured=False,
    )
    lines = [line.text for line in estimate_lines(found)]
    assert lines[1] == expected
    if embedding:
        assert lines[2] == "  嵌入：2 次调用，输入约 300 token，价格未知（按全部重新嵌入计算）"
    unknown = reading.usd is None or embedding is not None
    assert "".join(lines).count("MODEL_PRICES") == (1 if unknown else 0)
    assert "".join(lines).count("输出按正文的 1.00 倍计算（假设）") == 1
