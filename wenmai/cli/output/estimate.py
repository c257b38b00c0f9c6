"""`wenmai ingest --estimate`: what reading a source by a model would cost."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools.wording import Words
from wenmai.errors import ModelError

if TYPE_CHECKING:
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.contracts import AnswerStore
    from wenmai.ingestion.model.estimate import Cost, Estimate, Terms

COST = Words(
    "{calls} 次调用，输入约 {input} token{written}，{about}{usd}",
    "{calls} calls, input about {input} tokens{written}, {about}{usd}",
)
ABOUT = Words("约 ", "about ")
WRITTEN = Words("，输出约 {count} token", ", output about {count} tokens")
BASIS = Words(
    "  输入{counted}；输出按正文的 {ratio:.2f} 倍计算（{basis}）",
    "  input {counted}; output is reckoned as {ratio:.2f} times the text ({basis})",
)
EMBEDDING = Words("  嵌入：{cost}（按全部重新嵌入计算）", "  embedding: {cost} (if all is embedded anew)")
READING = Words("  阅读：{cost}{kept}", "  reading: {cost}{kept}")
TITLE = Words(
    "估算：用 {model} 阅读 {chapters} 章，还没有发送任何阅读请求",
    "Estimate: {model} reads {chapters} chapters; no request to read was sent",
)
KEPT = Words("；已有 {count} 份回答，不再发送", "; {count} answers are there and not asked for again")
ASSUMED = Words("假设", "assumed")
MEASURED = Words("由已有的回答测得", "measured on answers that are there")
COUNT_ATTEMPTS = 2  # a user waits for an estimate, and there is another way to reckon
COUNTED = {
    "service": Words("由 Gemini 的 countTokens 计数", "is counted by countTokens of Gemini"),
    "ratio": Words(
        "按每个汉字 1 个、其余每 4 个字符 1 个粗估（没有密钥时、服务不能计数时的办法，中文偏高）",
        "is reckoned as 1 a Chinese character and 1 every 4 others (without a key or a service that counts; for "
        "Chinese too high)",
    ),
    "ratio, unanswered": Words(
        "按每个汉字 1 个、其余每 4 个字符 1 个粗估（服务没有应答，无法计数；中文偏高）",
        "is reckoned as 1 a Chinese character and 1 every 4 others (the service did not answer; for Chinese too high)",
    ),
}


async def estimated(path: Path, library: str) -> tuple["Estimate", str]:
    """Return the estimate and the model's id; without a key nothing is sent at all."""
    from wenmai.app.container import Services
    from wenmai.ingestion.model.estimate import Terms
    from wenmai.minds.choice import role_model
    from wenmai.minds.model.extractor import mark_of, schema_size
    from wenmai.minds.model.patience import Patience
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    settings = services.settings
    model = role_model(settings, "extractor")
    terms = Terms(
        mark=mark_of(settings.provider or "gemini", model),
        model=model.id,
        prices=settings.prices,
        schema_size=schema_size(),
        call_size=settings.ingest_call_characters,
        counter=replace(services.extractor, patience=Patience(attempts=COUNT_ATTEMPTS)).count
        if settings.provider == "gemini"
        else None,
        embedding_model=settings.embedding_model if settings.embeds_by_gemini else None,
    )
    try:
        return await reckoned(path, library, services.answers, terms), model.id
    finally:
        await services.close()


async def reckoned(path: Path, library: str, answers: "AnswerStore", terms: "Terms") -> "Estimate":
    """Return the estimate, a rough one where the service does not answer. Raises ModelError where it refuses."""
    from tools.errors import is_transient
    from wenmai.ingestion.model.estimate import estimate

    try:
        return await estimate(path, library, answers, terms)
    except ModelError as error:
        if not is_transient(error) or terms.counter is None:
            raise
    rough = await estimate(path, library, answers, replace(terms, counter=None))
    return replace(rough, counted_by="ratio, unanswered")


def show_estimated(path: Path, library: str) -> None:
    """Print what reading a source would cost."""
    show_estimate(*asyncio.run(estimated(path, library)))


def show_estimate(found: "Estimate", model: str) -> None:
    """Print an estimate."""
    from wenmai.cli.output.terminal import out, say

    for line in estimate_lines(found, model):
        say(out(), line)


def estimate_lines(found: "Estimate", model: str) -> Iterator["Line"]:
    """Give what is left to read, what that costs, and how it was reckoned."""
    from wenmai.cli.output.money import UNPRICED
    from wenmai.cli.output.terminal import Line

    basis = MEASURED.say() if found.measured else ASSUMED.say()
    kept = KEPT.say(count=found.kept) if found.kept else ""
    yield Line(TITLE.say(model=model, chapters=found.chapters), "bold")
    yield Line(READING.say(cost=shown(found.reading), kept=kept))
    if found.embedding:
        yield Line(EMBEDDING.say(cost=shown(found.embedding)))
    yield Line(BASIS.say(counted=COUNTED[found.counted_by], ratio=found.output_ratio, basis=basis))
    if None in (found.reading.usd, found.embedding.usd if found.embedding else 0.0):
        yield Line(f"  {UNPRICED.say()}", "yellow")


def shown(cost: "Cost") -> str:
    """Return a cost as one phrase."""
    from wenmai.cli.output.money import dollars

    written = WRITTEN.say(count=cost.output_tokens) if cost.output_tokens else ""
    about = "" if cost.usd is None else ABOUT.say()
    return COST.say(calls=cost.calls, input=cost.input_tokens, written=written, about=about, usd=dollars(cost.usd))
