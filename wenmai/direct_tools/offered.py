"""All tools of a process for direct callers, and the one door to them: a call always gets a reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.dispatch import STOP
from tools.errors import InputError, WenmaiError
from tools.messages import FOLLOWS_QUESTION, IS_REMOTE, LANGUAGE, Message, Names, speaking
from tools.recall.tools import ENTRIES
from wenmai.app.container import Services
from wenmai.application.caller import Caller, Sessions, fields_as_sent
from wenmai.application.paging import check_guard
from wenmai.direct_tools.agent_tools import AgentTool, Kind, OwnMemoryTool
from wenmai.direct_tools.calls import Arguments, Offered, ToolReply, ToolView, language_of, refusal, require_open
from wenmai.direct_tools.chapters import Chapters
from wenmai.direct_tools.questions import Ask, AskAgent, ListLibraries, TellRecap
from wenmai.inputs import FieldError, nearest

if TYPE_CHECKING:
    from wenmai.app.assembly import AgentAssembly

KINDS: tuple[Kind, ...] = ("story", "narrative", "documents", "knowledge")
UNKNOWN = "Unknown tool: {name}"


@dataclass(frozen=True, slots=True)
class DirectTools:
    """Tools by name, and the chapters; no argument may be longer than a question may be, for each is searched with.

    `assembly`: what they were made from.
    """

    assembly: "AgentAssembly"
    tools: Mapping[str, Offered]
    chapters: Chapters
    most_chars: int

    @property
    def views(self) -> list[ToolView]:
        return [one.declaration for one in self.tools.values()]

    async def call(self, name: str, arguments: Arguments, caller: Caller) -> ToolReply:
        tool = self.tools.get(name)
        if tool is None:
            return refusal(name, InputError(UNKNOWN.format(name=name)))
        asks_in_own = IS_REMOTE.get() and not FOLLOWS_QUESTION.get()  # a client that has named its language
        with speaking(LANGUAGE.get() if asks_in_own else language_of(arguments)):
            try:
                self.check_lengths(arguments)
                if isinstance(library := arguments.get("library"), str):
                    require_open([library], caller.libraries)
                known = tool.declaration.arguments["properties"]
                for one in arguments:  # a misspelled guard must not be dropped
                    if one not in known and (meant := nearest(one, known)):
                        raise FieldError(one[:80], Message("field.unknown_argument_meant", meant=meant))
                    if one not in known:
                        raise FieldError(one[:80], Message("field.unknown_argument", known=Names(known)))
                check_guard(arguments)
                with fields_as_sent():
                    return await tool(arguments, caller)
            except WenmaiError as error:
                return refusal(name, error)

    def check_lengths(self, arguments: Arguments) -> None:
        for name, value in arguments.items():
            if len(text := str(value)) > self.most_chars:
                raise InputError(Message("mcp.text_too_long", name=name, length=len(text), most=self.most_chars))


def direct_tools(services: Services, asker: AskAgent, sessions: Sessions | None = None) -> DirectTools:
    """Return what a process offers. It loads minds and may open stores, which takes a while and blocks."""
    settings, assembly = services.settings, services.assembly
    tools: dict[str, Offered] = {}
    for kind in KINDS:
        toolbox = assembly.toolbox([kind])
        for name in toolbox.names:
            if name != STOP:
                tools.setdefault(name, AgentTool(kind, assembly.tools[name], toolbox, services.opening, sessions))
    for entry in ENTRIES:
        reader, expander = assembly.memory_reader, assembly.mind.expander
        tools[entry.name] = OwnMemoryTool(entry, reader, expander, services.opening, settings.tool_timeout_s)
    questions = (Ask(asker, settings.max_question_chars), ListLibraries(services.catalog), TellRecap(services))
    tools = {one.declaration.name: one for one in questions} | tools
    return DirectTools(assembly, tools, Chapters(services), settings.max_question_chars)
