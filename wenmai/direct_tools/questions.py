"""`ask`, the whole agent as one tool, and `list_libraries`, which says what there is to ask."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from state.context import LanguageChoice, Toolkit
from state.draft import DraftOutcome
from tools.arguments import parse
from tools.errors import InputError
from tools.messages import Names, say
from tools.story.guard import library_as_read, read_horizon
from wenmai.application.caller import Caller, allows
from wenmai.application.paging import Guard
from wenmai.application.passages import LastPlace
from wenmai.application.summaries import Recap, SummaryOperations
from wenmai.direct_tools.calls import PART_OF_GUARD, Arguments, ToolReply, ToolView, tool_view
from wenmai.inputs import checked_question

if TYPE_CHECKING:
    from tools.ports import Catalog
    from tools.records import Horizon
    from wenmai.app.container import Services

ASK, LIBRARIES, RECAP = "ask", "list_libraries", "recap"
ASKS = (
    "向资料库提问，由完整的问答流程（规划、检索、评分、重试）回答，附原文引用。一次一个问题；追问时给出同一个 thread。"
    "单个检索步骤用其他工具。"
)
RECAPS = (
    "前情提要：讲述故事到某一章为止发生了什么，先列人物，再按故事顺序逐章讲；有模型写的概要就用概要，"
    "没有就用最能说明内容的原文句子。"
)
LISTS = "列出可以提问的资料库：名称、标题、语言、来源、章数和段落数；给出 as_of_chapter 时只列读到的来源和数目。"


class AskArguments(BaseModel):
    """Arguments of ask; who asks is none of them."""

    question: str = Field(description="完整的问题，中文或英文")
    library: str | None = Field(
        default=None, description="资料库的名称（见 list_libraries）；问故事时必须给出，只有一个资料库时可以不写"
    )
    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：只用到这一章为止的内容")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)
    thread: str | None = Field(default=None, description="会话的名称，自己取；同一名称下可以追问，不写则单独回答")
    toolkits: list[Toolkit] | None = Field(
        default=None, description="用哪些工具：narrative（默认）、story、documents、memory、knowledge"
    )
    kn_ids: list[str] | None = Field(default=None, description="knowledge 所问的知识网络ID")
    language: LanguageChoice | None = Field(default=None, description="回答的语言：auto（默认，随问题）、zh、en")


class QuotedCitation(BaseModel):
    """A quotation behind a mark of the answer."""

    n: int
    label: str
    quote: str
    evidence: str
    source: str | None = None
    part: int | None = None
    chapter: int | None = None
    title: str | None = None
    location: str | None = None


class AskReply(BaseModel):
    """The form of an answer: the main keys of the result record."""

    answer: str
    status: DraftOutcome
    confidence: float | None
    passed: bool | None
    citations: list[QuotedCitation]
    resolved_question: str
    as_of: LastPlace | None
    warning: str | None
    thread: str | None


class ListedLibrary(BaseModel):
    """One library."""

    name: str
    title: str
    language: str
    sources: list[str]
    chapters: int
    passages: int


class ListedLibraries(BaseModel):
    """The form of a list of libraries."""

    libraries: list[ListedLibrary]


class ListArguments(BaseModel):
    """The spoiler guard of a list, in each library the same chapter."""

    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：来源和数目只到这一章为止")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)


AskAgent = Callable[[str, Mapping[str, Any], str | None, Caller], Awaitable[Mapping[str, Any]]]
"""Returns the result of a question, with fields of a run, a thread and its caller. Raises WenmaiError."""


@dataclass(frozen=True, slots=True)
class Ask:
    asker: AskAgent
    most_chars: int

    @property
    def declaration(self) -> ToolView:
        return tool_view(ASK, ASKS, AskArguments, results=AskReply.model_json_schema())

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        known = parse(AskArguments, arguments)
        question = checked_question(known.question, self.most_chars)
        given = known.model_dump(exclude_none=True, exclude={"question", "thread"})
        record = await self.asker(question, given, known.thread, caller)
        asked = AskReply.model_validate({**record, "thread": known.thread})
        return ToolReply(structured=asked.model_dump(mode="json"), text=text_of(asked))


class RecapArguments(BaseModel):
    """Arguments of recap."""

    library: str = Field(description="资料库的名称（见 list_libraries）")
    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：只讲到这一章为止")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)


@dataclass(frozen=True, slots=True)
class TellRecap:
    services: "Services"

    @property
    def declaration(self) -> ToolView:
        return tool_view(RECAP, RECAPS, RecapArguments, results=Recap.model_json_schema())

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        known = parse(RecapArguments, arguments)
        guard = Guard(as_of_chapter=known.as_of_chapter, as_of_part=known.as_of_part)
        found = await SummaryOperations(self.services, caller).recap(known.library, guard=guard)
        return ToolReply(structured=found.model_dump(mode="json"), text=recap_text(found))


def recap_text(found: Recap) -> str:
    sections = ["\n".join([one.heading, *(row.text for row in one.sentences)]) for one in found.sections]
    people = say("cli.recap.people", names=Names([one.name for one in found.people]))
    return "\n\n".join([found.note, people, *sections]) if sections else say("evidence.nothing_found")


@dataclass(frozen=True, slots=True)
class ListLibraries:
    catalog: "Catalog"

    @property
    def declaration(self) -> ToolView:
        return tool_view(LIBRARIES, LISTS, ListArguments, results=ListedLibraries.model_json_schema())

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        guard = parse(ListArguments, arguments)
        rows = list[ListedLibrary]()
        for info in await self.catalog.libraries():
            if info.problem is None and allows(caller.libraries, info.name):
                horizon = await self.horizon(info.name, guard.as_of_chapter, guard.as_of_part)
                known = await library_as_read(self.catalog, info, horizon)
                rows.append(
                    ListedLibrary(
                        name=known.name,
                        title=known.title,
                        language=known.language,
                        sources=[*known.sources],
                        chapters=known.counts["chapters"],
                        passages=known.counts["passages"],
                    )
                )
        listed = ListedLibraries(libraries=rows)
        return ToolReply(structured=listed.model_dump(mode="json"), text=listed.model_dump_json())

    async def horizon(self, library: str, chapter: int | None, part: int | None) -> "Horizon | None":
        """Return the guard for a library; in one without such a part the chapter alone says how far it was read."""
        try:
            return await read_horizon(self.catalog, library, chapter, part)
        except InputError:
            return await read_horizon(self.catalog, library, chapter, None)


def text_of(asked: AskReply) -> str:
    lines = [f"[{one.n}] {one.label}: {one.quote}" for one in asked.citations]
    return "\n\n".join([asked.answer, *(["\n".join(lines)] if lines else [])])
