"""The models that the service knows."""

import re
from dataclasses import dataclass

from wenmai.settings.settings import Settings

NAMED = re.compile(r"gemini-(\d+(?:\.\d+)?)")
NEWEST = 3.8
SIGNING = 3.0  # thought signatures are checked from this generation on
USER_LAST, USER_LAST_LITE = 3.6, 3.5  # "Requests ending with a model turn are not supported" from these on
MINIMAL_UP_TO = 3.6  # from 3.7 on only the lite models take the thinking level MINIMAL
LEVELS = ("LOW", "MEDIUM", "HIGH")
CHAT = ("generateContent", "streamGenerateContent", "countTokens")
EMBEDDING = ("embedContent", "batchEmbedContents", "countTokens")


@dataclass(frozen=True, slots=True)
class Model:
    """A model and the rules that differ between generations.

    Attributes:
        tools_with_schema: Function declarations and a JSON response may stand in one request.
        signs: Calls carry a thought signature that must come back.
        user_last: A request must not end with a model turn.
        thinking_levels: Accepted values; none for models that think by budget.
    """

    id: str
    methods: tuple[str, ...] = CHAT
    tools_with_schema: bool = True
    signs: bool = True
    user_last: bool = True
    thinking_levels: tuple[str, ...] = LEVELS
    dimensions: int = 3072

    @property
    def card(self) -> dict[str, object]:
        """What GET models/{id} answers."""
        return {
            "name": f"models/{self.id}",
            "version": "001",
            "displayName": self.id,
            "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": list(self.methods),
            "temperature": 1,
            "maxTemperature": 2,
            "thinking": self.signs,
        }


def model(model_id: str) -> Model:
    """Return a model with the rules of the generation in its id; ids without one are the newest."""
    if "embedding" in model_id:
        return Model(model_id, methods=EMBEDDING, signs=False)
    named = NAMED.match(model_id)
    generation = float(named.group(1)) if named else NEWEST
    thinks = generation >= SIGNING
    lite = "lite" in model_id
    minimal = ("MINIMAL",) if lite or generation <= MINIMAL_UP_TO else ()
    return Model(
        model_id,
        tools_with_schema=thinks,
        signs=thinks,
        user_last=generation >= (USER_LAST_LITE if lite else USER_LAST),
        thinking_levels=(*minimal, *LEVELS) if thinks else (),
    )


def configured() -> list[str]:
    """Return the ids that are the defaults of the settings: the one place where ids stand."""
    defaults = (one.default for one in Settings.model_fields.values())
    return [one for one in defaults if isinstance(one, str) and one.startswith("gemini-")]
