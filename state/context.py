"""The parameters of one run: plain values, shown in Studio, the same for every caller."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from state.account import AccountType

Toolkit = Literal["story", "narrative", "memory", "documents", "knowledge"]
Mode = Literal["agent", "rag"]
Language = Literal["zh", "en"]
LanguageChoice = Literal["auto", "zh", "en"]
Grading = Literal["auto", "always", "never"]
Count = Annotated[int, Field(ge=1, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Settings of one run. Identity comes from here (on a server: from authentication), never from a model."""

    library: Annotated[str, Field(title="Library", description="Name of the story library to ask", min_length=1)] = (
        "sample"
    )
    toolkits: Annotated[
        list[Toolkit], Field(title="Toolkits", description="Tool sets offered together", min_length=1)
    ] = field(default_factory=lambda: ["narrative"])
    mode: Annotated[
        Mode | None,
        Field(
            title="Mode",
            description="agent: the mind chooses tools; rag: one fixed retrieval; unset: agent, for documents alone "
            "the deployment's (USE_FUNCTION_CALLING)",
        ),
    ] = None
    language: Annotated[
        LanguageChoice, Field(title="Language", description="Language of the answer; auto follows the question")
    ] = "auto"
    as_of_chapter: Annotated[
        int | None, Field(title="As of chapter", description="Spoiler guard: nothing after this chapter is seen", ge=0)
    ] = None
    as_of_part: Annotated[
        int | None,
        Field(
            title="As of part",
            description="Part that as_of_chapter counts in; unset: the first, or where chapters count on over volumes "
            "the volume's",
            ge=1,
        ),
    ] = None
    user_id: Annotated[str | None, Field(title="User", description="Owner of the thread and of the memories")] = None
    permissions: Annotated[
        list[str], Field(title="Permissions", description="What the user may see: sensitive_memory")
    ] = field(default_factory=list)
    remember: Annotated[
        bool, Field(title="Remember", description="Keep what a finished turn taught, and offer recall_memories")
    ] = False
    time_zone: Annotated[
        str | None,
        Field(
            title="Time zone",
            description="Of the user's clock, such as Asia/Shanghai: by it yesterday and last week are counted; unset: "
            "the machine's",
        ),
    ] = None
    kn_ids: Annotated[
        list[Annotated[str, Field(min_length=1)]],
        Field(title="Knowledge networks", description="Ids of the networks that toolkit knowledge asks"),
    ] = field(default_factory=list)
    folders: Annotated[
        list[str] | None,
        Field(
            title="Folders",
            description="Folders of the user's collection of documents that toolkit documents asks, '' its top; unset: "
            "all of it",
        ),
    ] = None
    account: Annotated[
        str | None, Field(title="Account", description="Who asks the networks; unset: user_id", min_length=1)
    ] = None
    account_type: Annotated[AccountType, Field(title="Account type", description="Kind of that account")] = "user"
    max_attempts: Annotated[
        Count | None, Field(title="Attempts", description="Graded drafts, at most; unset: the deployment's (3)")
    ] = None
    search_limits: Annotated[
        list[Annotated[int, Field(ge=1, le=20)]] | None,
        Field(title="Search limits", description="Rows of search_memory for each attempt, 1..20", min_length=1),
    ] = None
    opening_search: Annotated[
        bool, Field(title="Opening search", description="The code searches before a model is asked for the first time")
    ] = True
    max_turns: Annotated[Count, Field(title="Rounds", description="Plan turns with calls in one attempt")] = 5
    max_tool_calls: Annotated[
        Count | None, Field(title="Calls", description="Executed calls in one attempt; unset: MAX_FUNCTION_CALLS (5)")
    ] = None
    max_tokens: Annotated[
        int | None,
        Field(title="Tokens", description="Tokens of a question: no model call is made that would go beyond", ge=1),
    ] = None
    deadline_s: Annotated[
        float | None,
        Field(
            title="Deadline",
            description="Seconds for the whole question; unset: the deployment's (DEADLINE_S)",
            gt=0,
            le=3600,
        ),
    ] = None
    grade: Annotated[
        Grading,
        Field(
            title="Grading",
            description="auto: a model grades what code cannot verify; always: every draft; never: code alone",
        ),
    ] = "auto"
    stream_drafts: Annotated[
        bool, Field(title="Stream drafts", description="Show drafts as they are written, before they are graded")
    ] = False
    keep_trace: Annotated[bool, Field(title="Keep trace", description="Write a trace of the question")] = True


class ContextFields(TypedDict, total=False):
    """Any field of `state.context.Context`, which says what each means and checks the values."""

    library: str
    toolkits: Sequence[Toolkit]
    mode: Mode | None
    language: LanguageChoice
    as_of_chapter: int | None
    as_of_part: int | None
    user_id: str | None
    permissions: Sequence[str]
    remember: bool
    time_zone: str | None
    kn_ids: Sequence[str]
    folders: Sequence[str] | None
    account: str | None
    account_type: AccountType
    max_attempts: int | None
    search_limits: Sequence[int] | None
    opening_search: bool
    max_turns: int
    max_tool_calls: int | None
    max_tokens: int | None
    deadline_s: float | None
    grade: Grading
    stream_drafts: bool
    keep_trace: bool
