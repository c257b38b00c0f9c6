"""All tools of a process for direct callers, and the one door to them: a call always gets a reply."""

from collections.abc import Mapping
from dataclasses import dataclass

from tools.dispatch import STOP, one_line
from tools.errors import WenmaiError
from tools.recall.tools import ENTRIES
from tools.wording import Words, speaking
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.checks import check_arguments, fields_as_sent
from wenmai.application.models.tools import ToolReply
from wenmai.direct_tools.agent_tools import AgentTool, Kind
from wenmai.direct_tools.calls import Arguments, Offered, hidden, language_of, refusal
from wenmai.direct_tools.chapters import Chapters
from wenmai.direct_tools.memory_tools import OwnMemoryTool
from wenmai.direct_tools.questions import Ask, Asker, Libraries

KINDS: tuple[Kind, ...] = ("story", "narrative", "documents", "knowledge")
UNKNOWN = "Unknown tool: {name}"
TOO_LONG = Words(
    "{name} 有 {length} 个字符，最多 {most} 个（MAX_QUESTION_CHARS）",
    "{name} has {length} characters, at most {most} are accepted (MAX_QUESTION_CHARS)",
)
HIDDEN = Words("没有名为 {name} 的资料库或知识网络", "There is no library or network called {name}")


@dataclass(frozen=True, slots=True)
class DirectTools:
    """Tools by name, and the chapters; no argument may be longer than a question may be, for each is searched with."""

    tools: Mapping[str, Offered]
    chapters: Chapters
    most_chars: int

    async def call(self, name: str, arguments: Arguments, caller: Caller) -> ToolReply:
        """Answer a call in the language of its texts."""
        tool = self.tools.get(name)
        if tool is None:
            return refusal(name, UNKNOWN.format(name=name))
        with speaking(language_of(arguments)):
            if problem := self.too_long(arguments):
                return refusal(name, problem)
            if name_of_hidden := hidden(arguments, caller):
                return refusal(name, HIDDEN.say(name=name_of_hidden))
            try:
                check_arguments(tool.declaration, arguments)
                with fields_as_sent():
                    return await tool(arguments, caller)
            except WenmaiError as error:
                return refusal(name, one_line(str(error)))

    def too_long(self, arguments: Arguments) -> str | None:
        """Return what is wrong with the first text that is too long, None if none is."""
        for name, value in arguments.items():
            if len(text := str(value)) > self.most_chars:
                return TOO_LONG.say(name=name, length=len(text), most=self.most_chars)
        return None


def direct_tools(services: Services, asker: Asker) -> DirectTools:
    """Return what a process offers. It loads minds and may open stores, which takes a while and blocks."""
    settings, assembly = services.settings, services.assembly
    tools: dict[str, Offered] = {}
    for kind in KINDS:
        toolbox = assembly.toolbox([kind])
        for name in toolbox.names:
            if name != STOP:
                tools.setdefault(name, AgentTool(kind, assembly.tools[name], toolbox, services.opening))
    for entry in ENTRIES:
        reader, expander = assembly.memory_reader, assembly.mind.expander
        tools[entry.name] = OwnMemoryTool(entry, reader, expander, services.opening, settings.tool_timeout_s)
    questions = (Ask(asker, settings.max_question_chars), Libraries(services.catalog))
    tools = {one.declaration.name: one for one in questions} | tools
    return DirectTools(tools, Chapters(services), settings.max_question_chars)
