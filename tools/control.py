"""The loop's own tool: `stop` ends the retrieval, whatever the toolkit."""

import re
from typing import Any, get_args

from pydantic import BaseModel, Field

from state.context import Language
from state.schema import StopReason
from tools.declarations import declare

STOP = "stop"
# Models echo an option with its gloss: "sufficient(信息充分)".
OPTION = re.compile(r"\s*[(（]")
DESCRIPTION = "停止检索。当已收集到足够信息可以回答问题时调用。"


class StopArguments(BaseModel):
    """Arguments of stop: declared as required, but a missing or unknown reason is accepted."""

    reason: str = Field(description="停止原因: sufficient(信息充分)/max_turns(达到上限)/not_found(无法找到)")


def stop_declaration(language: Language = "zh") -> dict[str, Any]:
    """Return the declaration of stop."""
    return declare(STOP, DESCRIPTION, StopArguments, language)


def stop_reason(args: object) -> StopReason:
    """Return the reason of a stop call, "unknown" for any unknown one; never raises."""
    given = args.get("reason") if isinstance(args, dict) else None
    word = OPTION.split(given.strip(), maxsplit=1)[0].casefold() if isinstance(given, str) else ""
    return next((reason for reason in get_args(StopReason) if reason == word), "unknown")
