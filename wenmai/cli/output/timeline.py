"""A trace as lines for a person."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tools.story.chapters.guard import GUARDED
from wenmai.cli.output.confidence import confidence_text
from wenmai.cli.output.money import UNPRICED
from wenmai.cli.output.steps import STOP, arguments
from wenmai.cli.output.steps import outcome as outcome_of
from wenmai.cli.output.terminal import Line

STATUS = {"finished": "完成", "cancelled": "已取消", "failed": "失败"}
NOTHING = "没有找到答案"
WITHHELD = "防剧透：提问时读到了更后面的内容，只显示问题"
OUTPUT = 160
"""Characters of a call's output; the whole is in the file."""


def timeline(record: dict[str, Any]) -> Iterator[Line]:
    """Give the question, every attempt with its calls and verdict, and the answer."""
    if "attempts" not in record:
        yield from recall_lines(record)
        return
    yield Line(f"{record['trace_id']}  {record['started_at']}  共 {record['total_duration_ms']} ms", "bold")
    yield Line(f"问题：{record['query']}")
    if record["resolved_query"] != record["query"]:
        yield Line(f"理解为：{record['resolved_query']}", "cyan")
    if record.get("as_of"):
        yield Line(GUARDED.say(**record["as_of"]), "dim")
    config = record["config"]
    yield Line(
        f"模型：{config['agent_model']}，评分：{config['grader_model']}，至多 {config['max_retries']} 次尝试", "dim"
    )
    started = datetime.fromisoformat(record["started_at"])
    yield from withheld_line(record)
    for attempt in record["attempts"]:
        yield from attempt_lines(attempt, started)
    yield Line(STATUS[record["status"]] + conclusion(record))
    yield from cost_lines(record)
    if record["final_response"]:
        yield Line(record["final_response"], "bold")
    for row in record.get("remembered", ()):
        yield Line(f"记忆 {row['outcome']}：{row['summary']}（{row['memory_key']}）")


def recall_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the user and the query of a recall, its calls, and what was found."""
    yield Line(f"{record['trace_id']}  {record['started_at']}  共 {record['total_duration_ms']} ms", "bold")
    yield Line(f"回忆（用户 {record['user_id'] or '未给出'}）：{record['query']}")
    yield Line(f"模型：{record['config']['agent_model']}", "dim")
    yield from withheld_line(record)
    started = datetime.fromisoformat(record["started_at"])
    for call in record["tool_calls"]:
        yield from call_lines(call, started)
    yield Line(STATUS[record["status"]])
    yield from cost_lines(record)
    yield Line(record["final_response"], "bold")


def withheld_line(record: dict[str, Any]) -> Iterator[Line]:
    """Say that the spoiler guard hides what a trace tells, where it does."""
    if record.get("withheld"):
        yield Line(WITHHELD, "yellow")


def cost_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give what each role cost in each attempt, and what the reader must know; older traces have neither."""
    usage = record.get("usage") or {}
    for row in usage.get("by", ()):
        cost = "" if row["cost_usd"] is None else f"，${row['cost_usd']:.5f}"
        tokens = f"输入 {row['input_tokens']}（缓存 {row['cached_tokens']}），输出 {row['output_tokens']}"
        yield Line(f"   用量 第 {row['attempt']} 次 {row['role']} {row['model']}：{tokens}{cost}", "dim")
    if any(row["cost_usd"] is None for row in usage.get("by", ())):
        yield Line(f"   {UNPRICED}", "dim")
    if record.get("warning"):
        yield Line(f"注意：{record['warning']}", "yellow")


def attempt_lines(attempt: dict[str, Any], started: datetime) -> Iterator[Line]:
    """Give one attempt: thoughts, calls, why it stopped, verdict, new queries."""
    yield Line(
        f"── 第 {attempt['attempt']} 次尝试（每次检索 {attempt['limit']} 条，{attempt['duration_ms']} ms）", "bold"
    )
    for thought in attempt["reasoning"]["thoughts"]:
        yield Line(f"   想法：{thought}", "dim")
    for call in (call for call in attempt["tool_calls"] if call["tool"] != STOP):
        yield from call_lines(call, started)
    if attempt["stop_reason"]:
        yield Line(f"   停止检索：{attempt['stop_reason']}")
    if attempt.get("refused"):
        yield Line(f"   {NOTHING}", "yellow")  # its points only made the agent search on
    else:
        yield from grade_lines(attempt["grading"]["output"])
    if attempt["refiner"]["queries"]:
        yield Line(f"   新检索词：{'；'.join(attempt['refiner']['queries'])}", "cyan")


def call_lines(call: dict[str, Any], started: datetime) -> Iterator[Line]:
    """Give a call and the beginning of its output."""
    after = (datetime.fromisoformat(call["started_at"]) - started).total_seconds()
    outcome = f"{call['items']} 条" if call["ok"] else "失败"
    head = f"   +{after:.3f}s 第 {call['round']} 轮 {call['tool']}({arguments(call['args'])})"
    yield Line(f"{head} → {outcome}，{call['duration_ms']} ms", "" if call["ok"] else "yellow")
    for step in call.get("steps", ()):
        yield Line(f"      · {outcome_of(step, step['args'])}", "dim")
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
    sure = confidence_text(record.get("confidence"), "zh").removesuffix("，")
    verdict = f"，{NOTHING}" if found_nothing(record) else verdict_word(record["passed"])
    return (f"，{sure}" if sure else "") + verdict


def found_nothing(record: dict[str, Any]) -> bool:
    """Return True if a trace ended with a refusal; older traces do not say so."""
    return record.get("outcome") == "not_found"


def grade_lines(grade: dict[str, Any] | None) -> Iterator[Line]:
    """Give a verdict with its five scores."""
    if grade is None:
        yield Line("   未评分", "dim")
        return
    scores = " ".join(f"{name}={score}" for name, score in grade["scores"].items())
    sure = confidence_text(grade.get("confidence"), "zh")
    yield Line(
        f"   {sure}评分 {grade['score']}/100{verdict_word(grade['passed'])}：{scores}",
        "green" if grade["passed"] else "yellow",
    )
    if grade["fail_reason"]:
        yield Line(f"   未通过的门槛：{grade['fail_reason']}；建议：{grade['suggestion']}", "yellow")


def verdict_word(passed: bool | None) -> str:
    """Return the verdict as it is appended."""
    return {True: "，通过", False: "，未通过", None: ""}[passed]
