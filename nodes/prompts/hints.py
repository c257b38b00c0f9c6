"""Hints for the attempt after a failed one, in Chinese and English."""

from collections.abc import Sequence

from nodes.policy import SHOWN_BLOCK, SHOWN_RESULT
from nodes.prompts import documents, english
from state.context import Language
from state.schema import Attempt, Grade

INCOMPLETE = {
    "zh": "[系统提示: 上次答案不完整 (尝试 {attempt}/{attempts}). 改进建议: {suggestion}]",
    "en": english.INCOMPLETE,
}
HINT = {
    "zh": "[系统提示: 上次答案{lack}。建议搜索关键词: {words}。\n{tools}]\n[改进建议: {suggestion}]",
    "en": english.HINT,
}
TOOL_HINTS = {
    "zh": {
        "narrative": """可以使用 search_memory 搜索故事内容，track_journey 追踪时间线，
或 find_connection 查找关系。请根据问题类型选择合适的工具。""",
        "story": """可以使用 vector_search 搜索故事内容，track_entity 追踪时间线，
或 graph_search 查找关系。请根据问题类型选择合适的工具。""",
        "memory": "问题涉及以前的对话或用户偏好时，用 recall_memories 回忆。",
        "knowledge": "可以换用其他关键词或 object_type_id 再调用 knowledge_network_retrieval。",
    },
    "en": english.TOOL_HINTS,
}
GATE_TEXTS = {
    "zh": {"depth": "深度不足", "evidence": "证据不足", "total": "总分不足"},
    "en": english.GATE_TEXTS,
}
AND = {"zh": "、", "en": english.AND}
EARLIER = {"zh": "尝试 {attempt}: 得分 {score} ({lack})", "en": english.EARLIER}
HARD_GATE = {"zh": "硬性门槛", "en": "hard gate"}
NO_CALL_SUGGESTION = {
    "zh": "请先调用检索工具查证后再回答",
    "en": "Look it up with the search tools before you answer",
}
UNGRADED_SUGGESTION = {"zh": "请重试或检查答案格式", "en": "Try again, or check the form of the answer"}
NOT_FOUND_SUGGESTION = {"zh": "换用其他关键词或工具再检索", "en": "Search again with other words"}


def hint(
    grade: Grade,
    queries: Sequence[str],
    toolkits: Sequence[str],
    attempt: int,
    attempts: int,
    language: Language = "zh",
) -> str:
    """Return the hint for the next attempt; without queries it carries the suggestion alone."""
    suggestion = grade["suggestion"]
    if not queries:
        return INCOMPLETE[language].format(attempt=attempt, attempts=attempts, suggestion=suggestion)
    gates, names = failed_gates(grade), GATE_TEXTS[language]
    lack = names["depth"] if "depth" in gates else AND[language].join(names[gate] for gate in gates)
    words = ", ".join(f'"{query}"' for query in queries)
    advice = TOOL_HINTS[language] | {"documents": documents.HINT[language]}
    tools = "\n".join(advice[toolkit] for toolkit in toolkits)
    return HINT[language].format(lack=lack, words=words, tools=tools, suggestion=suggestion)


def failed_gates(grade: Grade) -> list[str]:
    """Return the gates that a verdict failed, in the order depth, evidence, total."""
    return [part.split("=")[0].replace("score", "total") for part in grade["fail_reason"].split("; ") if "=" in part]


def earlier_attempts(attempts: Sequence[Attempt], language: Language = "zh") -> str:
    """Return the block of earlier attempts: score, failed gates, each call with its result, cut."""
    blocks = []
    for attempt in attempts:
        grade = attempt["grade"]
        score, lack = (grade["score"], grade["fail_reason"]) if grade else (0, "")
        calls = [f"{c['tool']}({c['args']}) -> {c['result'][:SHOWN_RESULT]}" for c in attempt["calls"]]
        head = EARLIER[language].format(attempt=attempt["attempt"], score=score, lack=lack)
        blocks.append("\n".join([head, *calls]))
    return "\n\n".join(blocks)[:SHOWN_BLOCK]
