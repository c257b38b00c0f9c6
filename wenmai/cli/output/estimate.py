"""`wenmai ingest --estimate`: what reading a source by a model would cost."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.wording import Words

if TYPE_CHECKING:
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.model.estimate import Cost, Estimate

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


def show_estimate(found: "Estimate") -> None:
    """Print what reading a source would cost."""
    from wenmai.cli.output.terminal import out, say

    for line in estimate_lines(found):
        say(out(), line)


def estimate_lines(found: "Estimate") -> Iterator["Line"]:
    """Give what is left to read, what that costs, and how it was reckoned."""
    from wenmai.cli.output.money import UNPRICED
    from wenmai.cli.output.terminal import Line

    basis = MEASURED.say() if found.measured else ASSUMED.say()
    kept = KEPT.say(count=found.kept) if found.kept else ""
    yield Line(TITLE.say(model=found.model, chapters=found.chapters), "bold")
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
