"""Finds the keywords of a query about memories: one call in JSON mode."""

from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.memory import EXPANDER, expanding
from state.context import Language
from tools.errors import ModelError
from tools.language import is_chinese
from tools.recall.keywords import ExpandRequest, Expansion, read_expansion
from tools.wording import Words
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.schemas import Keywords

NO_JSON = Words(
    "关键词模型的回答不是所要求的 JSON（{error}）。",
    "The answer of the model of keywords is not the JSON asked for ({error}).",
)


@dataclass(frozen=True, slots=True)
class ModelExpander:
    """The expander's model."""

    caller: Caller

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Return the model's keywords, cleaned. Raises ModelError."""
        language: Language = "zh" if is_chinese(request.query) else "en"
        messages = [SystemMessage(EXPANDER[language]), HumanMessage(expanding(request, language))]
        text = await self.caller.json_text(messages, Keywords)
        try:
            return read_expansion(text, request.most)
        except (ValueError, RecursionError) as error:
            raise ModelError(NO_JSON.of(error=type(error).__name__)) from error
