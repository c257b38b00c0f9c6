"""`wenmai ingest --estimate`: what reading a source by Gemini would cost."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wenmai.ingestion.estimate import Cost, Estimate

COUNTED = {
    "service": "由 Gemini 的 countTokens 计数",
    "ratio": "没有密钥，按每个汉字 1 个、其余每 4 个字符 1 个粗估（中文偏高）",
}


async def estimated(path: Path, library: str) -> tuple["Estimate", str]:
    """Return the estimate and the model's id; without a key nothing is sent at all."""
    from wenmai.ingestion.estimate import Terms, estimate
    from wenmai.minds.choice import role_model
    from wenmai.minds.gemini.extractor import mark_of
    from wenmai.services import Services
    from wenmai.settings import load_settings

    services = Services(load_settings())
    settings = services.settings
    model = role_model(settings, "extractor")
    terms = Terms(
        mark=mark_of(model),
        model=model.id,
        prices=settings.prices,
        counter=services.extractor.count if settings.has_key else None,
        embedding_model=settings.embedding_model if settings.embeds_by_gemini else None,
    )
    try:
        return await estimate(path, library, services.answers, terms), model.id
    finally:
        await services.close()


def show_estimate(found: "Estimate", model: str) -> None:
    """Print an estimate."""
    from wenmai.cli.terminal import Line, out, say

    basis = "已有回答的实测比例" if found.measured else "假设"
    say(out(), Line(f"用 {model} 阅读 {found.chapters} 章，还没有发送任何阅读请求", "bold"))
    say(out(), Line(f"  阅读：{shown(found.reading)}；已有回答 {found.kept} 份，不再调用"))
    if found.embedding:
        say(out(), Line(f"  嵌入：{shown(found.embedding)}（全部重新嵌入时）"))
    say(out(), Line(f"  输入{COUNTED[found.counted_by]}；输出按正文的 {found.output_ratio:.2f} 倍（{basis}）"))


def shown(cost: "Cost") -> str:
    """Return a cost as one phrase."""
    from wenmai.cli.progress import dollars

    return (
        f"{cost.calls} 次调用，输入约 {cost.input_tokens} token，输出约 {cost.output_tokens} token，{dollars(cost.usd)}"
    )
