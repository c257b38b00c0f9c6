"""Questions as lines for a person: steps while one runs, then its result record, in the language of the question."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from nodes.results.notices import check_text
from state.context import Language
from tools.formatting import shorten
from tools.story.guard import GUARDED
from tools.wording import Words, speaking
from wenmai.cli.output.terminal import Line

if TYPE_CHECKING:
    from state.events import RecallEvent, ToolEndEvent, ToolStartEvent
    from wenmai.answer import TurnEvent

HIGH: Final = 0.75
FAIR: Final = 0.5
"""Probabilities from which on an answer is called so; what is below both is low."""
Word = Literal["high", "fair", "low"]
WORDS: Mapping[Language, Mapping[Word, str]] = MappingProxyType(
    {"zh": {"high": "高", "fair": "中", "low": "低"}, "en": {"high": "high", "fair": "fair", "low": "low"}}
)
TEXTS: Mapping[Language, str] = MappingProxyType(
    {"zh": "可信度 {word}（{confidence:.2f}），", "en": "Confidence {word} ({confidence:.2f}). "}
)
STOPPED = Words("停止检索（{reason}）", "search stopped ({reason})")
FOUND = Words("{items} 条", "{items} rows")
FAILED = Words("失败", "failed")
SHOWN = 120
"""Characters of an argument."""
NODES = {
    "grade": Words("评分", "grading"),
    "refine": Words("改写检索词，再试一次", "new search words, once more"),
}
"""Nodes that a reader cares for: the other ones show in their calls or in the answer."""
Verdict = Literal["passed", "partly", "failed", "ungraded", "not_found"]
Label = Literal[
    "offline", "extract", "degraded", "usage", "unpriced", "trace", "thread", "resolved", "warning", "citation"
]
Labels = dict[Verdict | Label | Literal["kept", "known", "superseded"], str]
ZH: Labels = {
    "passed": "评分 {score}/100，通过（第 {attempt} 次尝试，{calls} 次调用）",
    "partly": "评分 {score}/100，但有 {flagged} 句未能核实（第 {attempt} 次尝试，{calls} 次调用）",
    "failed": "评分 {score}/100，未通过：{reason}（第 {attempt} 次尝试，{calls} 次调用）",
    "ungraded": "未评分（第 {attempt} 次尝试，{calls} 次调用）",
    "not_found": "没有找到答案（第 {attempt} 次尝试，{calls} 次调用）",
    "offline": "离线模式：没有调用大模型，答案是阅读模型在原文中找到的句子。",
    "extract": "离线模式：没有调用大模型，也没有阅读模型：答案只是与问题字面相近的原句，没有判断它是否回答了问题。",
    "degraded": "模型不可用，这个答案由内置的阅读模型离线完成。",
    "usage": "用量：{calls} 次模型调用，{total_tokens} token，{seconds:.1f} 秒{cost}",
    "unpriced": "，价格未知（在 MODEL_PRICES 中写上模型的价格即可算出）",
    "trace": "轨迹：{path}",
    "thread": "会话：{thread}（用 --thread 接着问）",
    "resolved": "理解为：{question}",
    "warning": "注意：{warning}",
    "citation": "[{n}] {place}：「{quote}」",
    "kept": "记住：{summary}（{memory_key}）",
    "known": "已经记得：{summary}（{memory_key}）",
    "superseded": "更新记忆：{summary}（{memory_key}，取代 {older}）",
}
EN: Labels = {
    "passed": "Score {score}/100, passed (attempt {attempt}, {calls} calls)",
    "partly": "Score {score}/100, but {flagged} unverified (attempt {attempt}, {calls} calls)",
    "failed": "Score {score}/100, not passed: {reason} (attempt {attempt}, {calls} calls)",
    "ungraded": "Not graded (attempt {attempt}, {calls} calls)",
    "not_found": "Nothing was found (attempt {attempt}, {calls} calls)",
    "offline": "Offline: no language model was called, the answer is what the reader found in the text.",
    "extract": "Offline: neither a language model nor the reader was used; the answer is only sentences of the text "
    "that share words with the question, nothing judged whether they answer it.",
    "degraded": "The model is not available; the offline mind finished this answer.",
    "usage": "Usage: {calls} model calls, {total_tokens} tokens, {seconds:.1f} s{cost}",
    "unpriced": ", price unknown (known once MODEL_PRICES names the models' prices)",
    "trace": "Trace: {path}",
    "thread": "Session: {thread} (go on with --thread)",
    "resolved": "Understood as: {question}",
    "warning": "Note: {warning}",
    "citation": '[{n}] {place}: "{quote}"',
    "kept": "Remembered: {summary} ({memory_key})",
    "known": "Known already: {summary} ({memory_key})",
    "superseded": "Memory updated: {summary} ({memory_key}, in place of {older})",
}


def confidence_text(confidence: float | None, language: Language) -> str:
    """Return a confidence as it stands before a verdict, '' where there is none."""
    if confidence is None:
        return ""
    return TEXTS[language].format(word=WORDS[language][word_of(confidence)], confidence=confidence)


def word_of(confidence: float) -> Word:
    """Return the word for a probability."""
    return "high" if confidence >= HIGH else "fair" if confidence >= FAIR else "low"


def step(event: "TurnEvent", started: dict[int, dict[str, Any]]) -> str | None:
    """Return what to show of an event; `started` keeps the arguments of calls until they end."""
    if event.kind == "step":
        label = NODES.get(event.data["node"])
        return f"  · {label.say()}" if label else None
    if event.kind == "reset":
        return None if event.data["reason"] == "calls" else f"  · {event.data['text']}"
    if event.kind == "recall":
        return f"      · {outcome(event.data, event.data['args'])}"
    return call_line(event.data, started) if event.kind == "tool" else None


def call_line(data: "ToolStartEvent | ToolEndEvent", started: dict[int, dict[str, Any]]) -> str | None:
    """Return the line of a call that has ended."""
    if data["event"] == "tool_start":
        started[data["call"]] = data["args"]
        return None
    args = started.pop(data["call"], {})
    if data["tool"] == "stop":
        return f"  · {STOPPED.say(reason=args.get('reason'))}"
    return f"  · {outcome(data, args)}"


def outcome(data: "ToolEndEvent | RecallEvent", args: dict[str, Any]) -> str:
    """Return a call with what came of it."""
    return f"{data['tool']}({arguments(args)}) → {found_rows(data)}"


def found_rows(call: Mapping[str, Any]) -> str:
    """Return what came of a call."""
    return FOUND.say(items=call["items"]) if call["ok"] else FAILED.say()


def arguments(args: dict[str, Any]) -> str:
    """Return the arguments of a call as it would be written."""
    return ", ".join(f"{name}={shorten(str(value), SHOWN)}" for name, value in args.items())


def labels(record: dict[str, Any]) -> Labels:
    """Return the labels in the language of the question."""
    return ZH if record["language"] == "zh" else EN


def answer_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the resolved question where it differs, the answer, its citations and the verdict."""
    yield from resolved_line(record)
    yield Line(record["answer"], "bold")
    yield from citation_lines(record)
    yield from verdict_lines(record)


def lines_behind_text(record: dict[str, Any]) -> Iterator[Line]:
    """Give what follows an answer whose text was printed as it came."""
    yield from citation_lines(record)
    yield from resolved_line(record)
    yield from verdict_lines(record)


def resolved_line(record: dict[str, Any]) -> Iterator[Line]:
    """Give what the question was taken to mean, where that differs."""
    if record["resolved_question"] != record["question"]:
        yield Line(labels(record)["resolved"].format(question=record["resolved_question"]), "cyan")


def citation_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the numbered citations."""
    for citation in record["citations"]:
        quote = one_line(citation["quote"])
        yield Line(labels(record)["citation"].format(n=citation["n"], place=citation["label"], quote=quote), "green")


def verdict_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the place of the guard, what the check found, the verdict, the cost, and what the reader must know."""
    if record["as_of"]:
        with speaking(record["language"]):
            yield Line(GUARDED.say(**record["as_of"]), "dim")
    if checked := check_text(record["notes"], record["language"]):
        yield Line(checked, "yellow")
    yield verdict(record)
    yield from remembered_lines(record)
    if usage := record["usage"]:
        usd = usage["cost_usd"]
        cost = labels(record)["unpriced"] if usd is None else f", ${usd:.4f}"
        yield Line(labels(record)["usage"].format(**usage | {"cost": cost}), "dim")
    if record["degraded"]:
        yield Line(labels(record)["degraded"], "yellow")
    if record["warning"]:
        yield Line(labels(record)["warning"].format(warning=record["warning"]), "yellow")


def remembered_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give what of the turn was kept."""
    for row in record["remembered"]:
        text = labels(record)[row["outcome"]].format(**row, older=", ".join(row["supersedes"]))
        yield Line(one_line(text), "magenta")


def closing_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the path of the trace and the session to go on with."""
    if record["trace"]:
        yield Line(labels(record)["trace"].format(path=record["trace"]), "dim")
    yield Line(labels(record)["thread"].format(thread=record["thread_id"]), "dim")


def offline_line(record: dict[str, Any]) -> Iterator[Line]:
    """Say that no model was asked, where that is so, and whether anything read the text."""
    if record["mind"] == "offline" and not record["degraded"]:
        yield Line(labels(record)["extract" if record.get("extract") else "offline"], "dim")


def verdict(record: dict[str, Any]) -> Line:
    """Return the grader's verdict in one line, how sure it is first."""
    key, grade = verdict_key(record), record["grade"]
    facts = {"score": grade["score"], "reason": grade["fail_reason"]} if grade else {}
    counts = {"attempt": record["attempt"], "calls": len(record["tool_calls"]), "flagged": flagged(record)}
    text = labels(record)[key].format(**facts, **counts)
    style = "yellow" if key in ("partly", "failed") else "dim"
    return Line(confidence_text(record["confidence"], record["language"]) + text, style)


def flagged(record: dict[str, Any]) -> int:
    """Return how many sentences of the answer the check could not verify."""
    return sum(note["action"] == "flagged" for note in record["notes"])


def verdict_key(record: dict[str, Any]) -> Verdict:
    """Return which verdict a record has."""
    grade = record["grade"]
    if record["status"] == "not_found":
        return "not_found"
    if grade is None or "ungraded" in grade.get("failed", ()):
        return "ungraded"
    if not grade["passed"]:
        return "failed"
    return "partly" if flagged(record) else "passed"


def one_line(text: str) -> str:
    """Return a quote without its line breaks."""
    return " ".join(text.split())
