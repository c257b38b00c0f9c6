"""What servers of OpenAI's protocol were found to do."""

from dataclasses import dataclass, field

from tools.errors import ModelError
from wenmai.minds.model.client import ModelSettings, Thinking
from wenmai.minds.model.failures import BadThinking
from wenmai.minds.model.providers import openai_errors as errors
from wenmai.minds.model.providers.json_answers import WAYS, Way


@dataclass(slots=True)
class Abilities:
    """What a model's server was found to do; a process learns it once.

    Attributes:
        tools: None until a call came, or a refusal.
        way: how a structured answer is asked for.
        ignored: answers in a row that did not follow a declared schema.
        stream_usage: `stream_options` is taken.
        takes_thoughts: thoughts may go back with the calls that they led to.
        no_efforts: thinking levels that it refuses.
    """

    tools: bool | None = None
    way: Way = WAYS[0]
    ignored: int = 0
    stream_usage: bool = True
    takes_thoughts: bool = True
    no_efforts: set[Thinking] = field(default_factory=set)

    def effort(self, settings: ModelSettings) -> Thinking | None:
        """Return the thinking level that is sent."""
        return None if settings.thinking in self.no_efforts else settings.thinking

    def learns(self, failure: ModelError, settings: ModelSettings) -> bool:
        """Return True if a refusal is about something that can be left out, which it is from now on."""
        effort = self.effort(settings)
        if effort and isinstance(failure, BadThinking):
            self.no_efforts.add(effort)
            return True
        if self.stream_usage and errors.is_about(failure, errors.ABOUT_STREAM_OPTIONS):
            self.stream_usage = False
            return True
        if self.takes_thoughts and errors.is_about(failure, errors.ABOUT_THOUGHTS):
            self.takes_thoughts = False
            return True
        return False
