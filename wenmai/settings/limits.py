"""Settings that limit a question: attempts, calls, seconds, characters."""

from typing import Annotated

from pydantic import Field

from wenmai.settings.group import Group


class LimitGroup(Group):
    """Limits of a question."""

    max_attempts: int = Field(default=3, ge=1, le=10, description="Most graded drafts per question")
    max_function_calls: int = Field(default=5, ge=1, description="Most tool calls that are run in one attempt")
    search_limits: list[Annotated[int, Field(ge=1, le=20)]] | None = Field(
        default=None,
        min_length=1,
        description="Rows of search_memory in attempt 1, 2, 3, each 1 to 20, as a JSON list; the last one repeats; "
        "unset: [3, 3, 5] for a model, [10, 10, 10] for the offline mind, which pays nothing for rows",
    )
    tool_timeout_s: float = Field(default=30.0, gt=0, description="Seconds for one tool call")
    recall_timeout_s: float = Field(
        default=90.0, gt=0, description="Seconds for one recall of memories, which calls several tools"
    )
    model_timeout_s: float = Field(default=60.0, gt=0, description="Seconds for one model call")
    knowledge_session_s: float = Field(
        default=600.0, gt=0, description="Seconds that a session with a knowledge network lives after its last use"
    )
    max_question_chars: int = Field(default=4_000, ge=1, description="Longest question that is accepted, in characters")
