"""What one run may be told: plain values, shown in Studio, the same for every caller."""

from dataclasses import dataclass, field
from typing import Literal

Toolkit = Literal["story", "narrative"]
Mode = Literal["agent", "rag"]
Language = Literal["auto", "zh", "en"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Settings of one run. Identity comes from here (on a server: from authentication), never from a model."""

    library: str = field(default="sample", metadata={"description": "Name of the story library to ask"})
    toolkits: list[Toolkit] = field(
        default_factory=lambda: ["narrative"], metadata={"description": "Tool sets offered together"}
    )
    mode: Mode | None = field(
        default=None, metadata={"description": "agent: the mind chooses tools; rag: one fixed retrieval"}
    )
    language: Language = field(
        default="auto", metadata={"description": "Language of the answer; auto follows the question"}
    )
    as_of_chapter: int | None = field(
        default=None, metadata={"description": "Spoiler guard: nothing after this chapter is seen"}
    )
    as_of_part: int = field(default=1, metadata={"description": "Part that as_of_chapter counts in"})
    user_id: str | None = field(default=None, metadata={"description": "Owner of the thread"})
    max_attempts: int | None = field(default=None, metadata={"description": "Graded drafts, at most (default 3)"})
    search_limits: list[int] | None = field(
        default=None, metadata={"description": "Rows of search_memory for each attempt, 1..20"}
    )
    max_turns: int = field(default=5, metadata={"description": "Plan turns with calls in one attempt"})
    max_tool_calls: int | None = field(
        default=None, metadata={"description": "Executed calls in one attempt (default MAX_FUNCTION_CALLS)"}
    )
    deadline_s: float = field(default=180.0, metadata={"description": "Seconds for the whole question"})
