"""A question as lines for a person, in its language: its steps while it runs, its result record, its trace."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from nodes.notices import check_text
from state.context import Language
from tools.formatting import shorten
from tools.story.guard import GUARDED
from tools.wording import SPOKEN, Words, speaking
from wenmai.cli.output.terminal import UNPRICED, Line

if TYPE_CHECKING:
    from state.events import RecallEvent, ToolEndEvent
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

STATUS = {
    "finished": Words("完成", "Finished"),
    "cancelled": Words("已取消", "Cancelled"),
    "failed": Words("失败", "Failed"),
}
NOT_FOUND = "not_found"  # the outcome of a refusal; older traces have none
NOTHING = Words("没有找到答案", "nothing was found")
HEAD = Words("{id}  {at}  共 {ms} ms", "{id}  {at}  {ms} ms in all")
QUESTION = Words("问题：{text}", "Question: {text}")
RESOLVED = Words("理解为：{text}", "Understood as: {text}")
MODELS = Words(
    "模型：{agent}，评分：{grader}，至多 {most} 次尝试", "Model: {agent}, grader: {grader}, at most {most} attempts"
)
MODEL = Words("模型：{agent}", "Model: {agent}")
CITED = Words("[{n}] {label}：「{quote}」", '[{n}] {label}: "{quote}"')
MEMORY = Words("记忆 {outcome}：{summary}（{key}）", "Memory {outcome}: {summary} ({key})")
RECALL = Words("回忆（用户 {user}）：{query}", "Recall (user {user}): {query}")
UNNAMED = Words("未给出", "not given")
USAGE = Words(
    "   用量 第 {attempt} 次 {role} {model}：输入 {input}（缓存 {cached}），输出 {output}{cost}",
    "   Usage, attempt {attempt}, {role} {model}: input {input} (cached {cached}), output {output}{cost}",
)
WARNING = Words("注意：{text}", "Note: {text}")
ATTEMPT = Words(
    "── 第 {attempt} 次尝试（每次检索 {limit} 条，{ms} ms）", "── Attempt {attempt} ({limit} rows a search, {ms} ms)"
)
THOUGHT = Words("   想法：{text}", "   Thought: {text}")
SEARCH_STOPPED = Words("   停止检索：{reason}", "   Stopped: {reason}")
QUERIES = Words("   新检索词：{queries}", "   New queries: {queries}")
CALL = Words(
    "   +{after:.3f}s 第 {round} 轮 {tool}({args}) → {outcome}，{ms} ms",
    "   +{after:.3f}s round {round} {tool}({args}) → {outcome}, {ms} ms",
)
UNGRADED = Words("   未评分", "   Not graded")
GRADE = Words("   {sure}评分 {score}/100{verdict}：{scores}", "   {sure}Score {score}/100{verdict}: {scores}")
GATES = Words("   未通过的门槛：{reason}；建议：{advice}", "   Gates that failed: {reason}; advice: {advice}")
PASSED = Words("通过", "passed")
NOT_PASSED = Words("未通过", "not passed")
COMMA = Words("，", ", ")
WITHHELD = Words(
    "防剧透：提问时读到了更后面的内容，只显示问题",
    "Spoiler guard: more was read when this was asked, only the question is shown",
)
OUTPUT = 160
"""Characters of a call's output; the whole is in the file."""


def confidence_text(confidence: float | None, language: Language) -> str:
    """Return a confidence as it stands before a verdict, '' where there is none."""
    if confidence is None:
        return ""
    return TEXTS[language].format(word=WORDS[language][word_of(confidence)], confidence=confidence)


def word_of(confidence: float) -> Word:
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
    if event.kind != "tool":
        return None
    data = event.data
    if data["event"] == "tool_start":
        started[data["call"]] = data["args"]
        return None
    args = started.pop(data["call"], {})
    return f"  · {STOPPED.say(reason=args.get('reason')) if data['tool'] == 'stop' else outcome(data, args)}"


def outcome(data: "ToolEndEvent | RecallEvent", args: dict[str, Any]) -> str:
    return f"{data['tool']}({arguments(args)}) → {found_rows(data)}"


def found_rows(call: Mapping[str, Any]) -> str:
    return FOUND.say(items=call["items"]) if call["ok"] else FAILED.say()


def arguments(args: dict[str, Any]) -> str:
    return ", ".join(f"{name}={shorten(str(value), SHOWN)}" for name, value in args.items())


def labels(record: dict[str, Any]) -> Labels:
    return ZH if record["language"] == "zh" else EN


def answer_lines(record: dict[str, Any]) -> Iterator[Line]:
    yield from resolved_line(record)
    yield Line(record["answer"], "bold")
    yield from citation_lines(record)
    yield from verdict_lines(record)


def lines_behind_text(record: dict[str, Any]) -> Iterator[Line]:
    yield from citation_lines(record)
    yield from resolved_line(record)
    yield from verdict_lines(record)


def resolved_line(record: dict[str, Any]) -> Iterator[Line]:
    if record["resolved_question"] != record["question"]:
        yield Line(labels(record)["resolved"].format(question=record["resolved_question"]), "cyan")


def citation_lines(record: dict[str, Any]) -> Iterator[Line]:
    for citation in record["citations"]:
        quote = one_line(citation["quote"])
        yield Line(labels(record)["citation"].format(n=citation["n"], place=citation["label"], quote=quote), "green")


def verdict_lines(record: dict[str, Any]) -> Iterator[Line]:
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
    for row in record["remembered"]:
        text = labels(record)[row["outcome"]].format(**row, older=", ".join(row["supersedes"]))
        yield Line(one_line(text), "magenta")


def closing_lines(record: dict[str, Any]) -> Iterator[Line]:
    if record["trace"]:
        yield Line(labels(record)["trace"].format(path=record["trace"]), "dim")
    yield Line(labels(record)["thread"].format(thread=record["thread_id"]), "dim")


def offline_line(record: dict[str, Any]) -> Iterator[Line]:
    """Say that no model was asked, where that is so, and whether anything read the text."""
    if record["mind"] == "offline" and not record["degraded"]:
        yield Line(labels(record)["extract" if record.get("extract") else "offline"], "dim")


def verdict(record: dict[str, Any]) -> Line:
    key, grade = verdict_key(record), record["grade"]
    facts = {"score": grade["score"], "reason": grade["fail_reason"]} if grade else {}
    counts = {"attempt": record["attempt"], "calls": len(record["tool_calls"]), "flagged": flagged_count(record)}
    text = labels(record)[key].format(**facts, **counts)
    style = "yellow" if key in ("partly", "failed") else "dim"
    return Line(confidence_text(record["confidence"], record["language"]) + text, style)


def flagged_count(record: dict[str, Any]) -> int:
    return sum(note["action"] == "flagged" for note in record["notes"])


def verdict_key(record: dict[str, Any]) -> Verdict:
    grade = record["grade"]
    if record["status"] == "not_found":
        return "not_found"
    if grade is None or "ungraded" in grade.get("failed", ()):
        return "ungraded"
    if not grade["passed"]:
        return "failed"
    return "partly" if flagged_count(record) else "passed"


def one_line(text: str) -> str:
    return " ".join(text.split())


def timeline(record: dict[str, Any]) -> Iterator[Line]:
    yield Line(HEAD.say(id=record["trace_id"], at=record["started_at"], ms=record["total_duration_ms"]), "bold")
    if "attempts" not in record:
        yield from recall_lines(record)
        return
    yield Line(QUESTION.say(text=record["query"]))
    if record["resolved_query"] != record["query"]:
        yield Line(RESOLVED.say(text=record["resolved_query"]), "cyan")
    if record.get("as_of"):
        yield Line(GUARDED.say(**record["as_of"]), "dim")
    config = record["config"]
    models = {"agent": config["agent_model"], "grader": config["grader_model"], "most": config["max_retries"]}
    yield Line(MODELS.say(**models), "dim")
    started = datetime.fromisoformat(record["started_at"])
    yield from withheld_line(record)
    for attempt in record["attempts"]:
        yield from attempt_lines(attempt, started)
    yield Line(STATUS[record["status"]].say() + conclusion(record))
    yield from cost_lines(record)
    if record["final_response"]:
        yield Line(record["final_response"], "bold")
    for one in record.get("citations", ()):
        yield Line(CITED.say(n=one["n"], label=one["label"], quote=" ".join(one["quote"].split())), "green")
    for row in record.get("remembered", ()):
        yield Line(MEMORY.say(outcome=row["outcome"], summary=row["summary"], key=row["memory_key"]))


def recall_lines(record: dict[str, Any]) -> Iterator[Line]:
    yield Line(RECALL.say(user=record["user_id"] or UNNAMED.say(), query=record["query"]))
    yield Line(MODEL.say(agent=record["config"]["agent_model"]), "dim")
    yield from withheld_line(record)
    started = datetime.fromisoformat(record["started_at"])
    for call in record["tool_calls"]:
        yield from call_lines(call, started)
    yield Line(STATUS[record["status"]].say())
    yield from cost_lines(record)
    yield Line(record["final_response"], "bold")


def withheld_line(record: dict[str, Any]) -> Iterator[Line]:
    if record.get("withheld"):
        yield Line(WITHHELD.say(), "yellow")


def cost_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give what each role cost in each attempt, and what the reader must know; older traces have neither."""
    usage = record.get("usage") or {}
    for row in usage.get("by", ()):
        cost = "" if row["cost_usd"] is None else f"{COMMA.say()}${row['cost_usd']:.5f}"
        tokens = {kind: row[f"{kind}_tokens"] for kind in ("input", "cached", "output")}
        who = {key: row[key] for key in ("attempt", "role", "model")}
        yield Line(USAGE.say(**who, **tokens, cost=cost), "dim")
    if any(row["cost_usd"] is None for row in usage.get("by", ())):
        yield Line(f"   {UNPRICED.say()}", "dim")
    if record.get("warning"):
        yield Line(WARNING.say(text=record["warning"]), "yellow")


def attempt_lines(attempt: dict[str, Any], started: datetime) -> Iterator[Line]:
    yield Line(ATTEMPT.say(attempt=attempt["attempt"], limit=attempt["limit"], ms=attempt["duration_ms"]), "bold")
    for thought in attempt["reasoning"]["thoughts"]:
        yield Line(THOUGHT.say(text=thought), "dim")
    for call in (call for call in attempt["tool_calls"] if call["tool"] != "stop"):
        yield from call_lines(call, started)
    if attempt["stop_reason"]:
        yield Line(SEARCH_STOPPED.say(reason=attempt["stop_reason"]))
    if attempt.get("refused"):
        yield Line(f"   {NOTHING.say()}", "yellow")  # its points only made the agent search on
    else:
        yield from grade_lines(attempt["grading"]["output"])
    if attempt["refiner"]["queries"]:
        yield Line(QUERIES.say(queries="；".join(attempt["refiner"]["queries"])), "cyan")


def call_lines(call: dict[str, Any], started: datetime) -> Iterator[Line]:
    after = (datetime.fromisoformat(call["started_at"]) - started).total_seconds()
    made = {"round": call["round"], "tool": call["tool"], "args": arguments(call["args"])}
    line = CALL.say(after=after, **made, outcome=found_rows(call), ms=call["duration_ms"])
    yield Line(line, "" if call["ok"] else "yellow")
    for step in call.get("steps", ()):
        yield Line(f"      · {outcome(step, step['args'])}", "dim")
    text = " ".join(output(call["result"]).split())
    yield Line(f"      {text[:OUTPUT]}{'…' if len(text) > OUTPUT else ''}", "dim")


def output(result: str) -> str:
    """Return the text of a result that is one; a cut one is no longer JSON and stays as it is."""
    try:
        found = json.loads(result)
    except ValueError:
        return result
    return str(found["result"]) if isinstance(found, dict) and "result" in found else result


def conclusion(record: dict[str, Any]) -> str:
    """Return the verdict on the answer as it is appended; older traces know neither outcome nor confidence."""
    comma = COMMA.say()
    sure = confidence_text(record.get("confidence"), SPOKEN.get()).rstrip("，. ")
    verdict = f"{comma}{NOTHING.say()}" if record.get("outcome") == NOT_FOUND else verdict_word(record["passed"])
    return (f"{comma}{sure}" if sure else "") + verdict


def grade_lines(grade: dict[str, Any] | None) -> Iterator[Line]:
    if grade is None:
        yield Line(UNGRADED.say(), "dim")
        return
    scores = " ".join(f"{name}={score}" for name, score in grade["scores"].items())
    verdict = {"score": grade["score"], "verdict": verdict_word(grade["passed"]), "scores": scores}
    sure = confidence_text(grade.get("confidence"), SPOKEN.get())
    yield Line(GRADE.say(sure=sure, **verdict), "green" if grade["passed"] else "yellow")
    if grade["fail_reason"]:
        yield Line(GATES.say(reason=grade["fail_reason"], advice=grade["suggestion"]), "yellow")


def verdict_word(passed: bool | None) -> str:
    return "" if passed is None else COMMA.say() + (PASSED if passed else NOT_PASSED).say()
