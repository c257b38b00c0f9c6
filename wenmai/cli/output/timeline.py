"""A trace as lines for a person."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tools.story.guard import GUARDED
from tools.wording import SPOKEN, Words
from wenmai.cli.output.answers import arguments, confidence_text, found_rows, outcome
from wenmai.cli.output.terminal import UNPRICED, Line

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
STOPPED = Words("   停止检索：{reason}", "   Stopped: {reason}")
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


def timeline(record: dict[str, Any]) -> Iterator[Line]:
    """Give the question, every attempt with its calls and verdict, and the answer."""
    if "attempts" not in record:
        yield from recall_lines(record)
        return
    yield head(record)
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


def head(record: dict[str, Any]) -> Line:
    """Return the line that names a trace."""
    return Line(HEAD.say(id=record["trace_id"], at=record["started_at"], ms=record["total_duration_ms"]), "bold")


def recall_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the user and the query of a recall, its calls, and what was found."""
    yield head(record)
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
    """Say that the spoiler guard hides what a trace tells, where it does."""
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
    """Give one attempt: thoughts, calls, why it stopped, verdict, new queries."""
    yield Line(ATTEMPT.say(attempt=attempt["attempt"], limit=attempt["limit"], ms=attempt["duration_ms"]), "bold")
    for thought in attempt["reasoning"]["thoughts"]:
        yield Line(THOUGHT.say(text=thought), "dim")
    for call in (call for call in attempt["tool_calls"] if call["tool"] != "stop"):
        yield from call_lines(call, started)
    if attempt["stop_reason"]:
        yield Line(STOPPED.say(reason=attempt["stop_reason"]))
    if attempt.get("refused"):
        yield Line(f"   {NOTHING.say()}", "yellow")  # its points only made the agent search on
    else:
        yield from grade_lines(attempt["grading"]["output"])
    if attempt["refiner"]["queries"]:
        yield Line(QUERIES.say(queries="；".join(attempt["refiner"]["queries"])), "cyan")


def call_lines(call: dict[str, Any], started: datetime) -> Iterator[Line]:
    """Give a call and the beginning of its output."""
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
    """Give a verdict with its five scores."""
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
    """Return the verdict as it is appended."""
    return "" if passed is None else COMMA.say() + (PASSED if passed else NOT_PASSED).say()
