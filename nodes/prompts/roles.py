"""The prompt of the refiner, in Chinese and English."""

from collections.abc import Sequence

from nodes.roles import RefineRequest

REFINER = {
    "zh": """你为检索改写关键词。根据问题和评分员的建议，给出 2-3 条新的检索词，让下一次检索找到具体的剧情内容。

规则：
1. 每条是几个用空格隔开的词：人名加上具体的动作、事件或物件
2. 不要重复已用过的检索词，各条之间角度不同
3. 只输出 JSON 字符串数组
例：问题“阿明和阿芳是什么关系？”，建议“答案深度不足，请获取具体剧情内容”
→ ["阿明 阿芳 初次见面", "阿明 救起 阿芳 风暴", "阿明 阿芳 争吵 信"]""",
    "en": """You find new search words. From the question and the grader's suggestion give 2-3 new queries that will
find concrete scenes.

Rules:
1. Each is a few words: names with concrete actions, events or things
2. Repeat none that was used; each looks from another side
3. Only a JSON array of strings
Example: “How are Ada and Ben related?”, “too shallow, look for concrete scenes”
→ ["Ada Ben first meeting", "Ada saves Ben storm", "Ada Ben quarrel letter"]""",
}
REFINED_PARTS = {
    "zh": ("问题", "建议", "已用过的检索词"),
    "en": ("Question", "Suggestion", "Queries that were used"),
}


def refining(request: RefineRequest) -> str:
    """Return the question, the suggestion and the words that were used."""
    titles = REFINED_PARTS[request.language]
    blocks: Sequence[str] = (request.question, request.suggestion, "; ".join(request.queries_used) or "-")
    return "\n".join(f"{title}: {block}" for title, block in zip(titles, blocks, strict=True))
