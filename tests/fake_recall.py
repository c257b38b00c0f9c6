"""In-memory double of the port Recall: one record for ever."""

from dataclasses import dataclass, field
from typing import Any

from tools.base import Scope
from tools.recall.recall_memories import Recalled

# A recall that found nothing (MEM-01).
NOTHING: dict[str, Any] = {
    "action": "NO_RELEVANT_MEMORY",
    "search_summary": "未找到相关记忆",
    "confidence": 0.0,
    "memories": [],
    "needs_more_info": False,
    "follow_up_question": None,
    "message": "## 记忆搜索完成 (信心度: 0%)",
}


@dataclass
class FakeRecall:
    """Keeps what it was asked in `history`."""

    record: dict[str, Any] = field(default_factory=lambda: {**NOTHING})
    history: list[tuple[str, Scope]] = field(default_factory=list)

    async def __call__(self, query: str, scope: Scope) -> Recalled:
        self.history.append((query, scope))
        return Recalled(record=self.record)
