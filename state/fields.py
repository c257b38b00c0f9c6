"""The fields of a question as keywords: what editors and type checkers know of `agent.ask(question, …)`."""

from collections.abc import Sequence

from typing_extensions import TypedDict

from state.account import AccountType
from state.context import Grading, LanguageChoice, Mode, Toolkit


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
    kn_ids: Sequence[str]
    account: str | None
    account_type: AccountType
    max_attempts: int | None
    search_limits: Sequence[int] | None
    opening_search: bool
    max_turns: int
    max_tool_calls: int | None
    max_tokens: int | None
    deadline_s: float
    grade: Grading
    stream_drafts: bool
