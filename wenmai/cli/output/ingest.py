"""What an ingest prints: what was written, what the book holds, and what looks odd."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tools.wording import Words
from wenmai.cli.output.terminal import Line, err, out, say

if TYPE_CHECKING:
    from wenmai.application.models.libraries import Library
    from wenmai.ingestion.contracts import IngestReport

SECONDS_ALL = Words("用时 {seconds:.1f} 秒", "in {seconds:.1f} s")
GUARDED = Words(
    "资料库 {library}：导入完成，读到的有 {chapters} 章，{passages} 段",
    "Library {library}: ingested; what was read has {chapters} chapters, {passages} passages",
)
SHOWN_ROWS = 10
NOTE_KINDS: Mapping[str, Words] = {
    "front": Words("书前页", "front matter"),
    "contents": Words("目录", "table of contents"),
    "end": Words("完结标记", "end mark"),
    "author": Words("作者的话", "author's note"),
    "translator": Words("译注", "translator's note"),
    "footnote": Words("脚注", "footnote"),
    "page": Words("页码", "page number"),
    "licence": Words("版权声明", "licence"),
    "site": Words("网站广告", "site notice"),
    "picture": Words("插图说明", "caption"),
}
ROWS = {
    "warnings": Words("注意", "Note"),
    "bad_rows": Words("已跳过", "Skipped"),
    "unread": Words("模型未读，改用规则", "Not read by the model, by patterns instead"),
    "odd": Words("异常", "Odd"),
}
MORE = Words("{kind}：另有 {count} 处", "{kind}: {count} more")
ROW = Words("{kind}：{row}", "{kind}: {row}")
CHANGED = Words(
    "新写 {written} 段，未变 {unchanged} 段，移除 {removed} 段",
    "{written} passages written, {unchanged} unchanged, {removed} removed",
)
UNCHANGED = Words("没有变化", "nothing changed")
HELD = Words(
    "资料库 {library}：{chapters} 章，{passages} 段；{change}",
    "Library {library}: {chapters} chapters, {passages} passages; {change}",
)
GRAPH = Words(
    "全库：实体 {entities}，关系 {relations}，事件 {events}",
    "Whole library: {entities} entities, {relations} relations, {events} events",
)
GRAPH_RESTORED = Words(
    "图谱已不在原处：全库的图谱已按登记库的记录重新写入",
    "The graph was gone: that of the whole library is written anew from the catalog's records",
)
VECTORS_RESTORED = Words(
    "有向量已不在原处：所在各章的 {count} 段已重新嵌入并写入",
    "Vectors were gone: the {count} passages of their chapters are embedded and written again",
)
VECTORS_LOST = Words(
    "来源 {others} 的向量也已不在原处：请再次用 wenmai ingest 导入这些来源",
    "The vectors of {others} are gone, too: run wenmai ingest on these sources again",
)
SECONDS = Words("用时 {seconds:.1f} 秒", "{seconds:.1f} s")
EMBEDDING = Words("，其中嵌入 {seconds:.1f} 秒{beside}", ", {seconds:.1f} s of it embedding{beside}")
BESIDE = Words("（各工作进程合计）", " (of all workers together)")
PARTS = Words("共 {count} 部：{parts}", "{count} parts: {parts}")
PART = Words("{title}（{chapters} 章）", "{title} ({chapters} chapters)")
PEOPLE = Words("主要人物：{people}", "Main characters: {people}")
NOBODY = Words("没有找到", "none found")
LEFT_OUT = Words(
    "不是正文、另存的：{kinds}（wenmai notes -l {library} 查看）",
    "No story, kept apart: {kinds} (see wenmai notes -l {library})",
)
COMMA = Words("，", ", ")
PAUSE = Words("、", ", ")
MODEL = Words(
    "模型：{calls} 次调用（{input} + {output} token，{cost}），{kept} 份回答已有",
    "Model: {calls} calls ({input} + {output} tokens, {cost}), {kept} answers were there",
)
DROPPED = Words("原文中找不到依据而丢弃：{count} 条", "Dropped, for their evidence is not in the text: {count}")
MERGED = Words(
    "合并的名称：{count} 个（wenmai entities list 查看，split 撤销）",
    "Merged names: {count} (see wenmai entities list; split undoes one)",
)


def show(report: "IngestReport") -> None:
    """Print what was written, and the rows that were left out."""
    for key, kind in ROWS.items():
        show_rows(kind.say(), getattr(report, key))
    for line in report_lines(report):
        say(out(), line)


def report_lines(report: "IngestReport") -> "Iterator[Line]":
    """Yield what was written, what the book holds, and what it cost."""
    changed = report.written or report.removed or report.reordered
    counts = {"written": report.written, "unchanged": report.unchanged, "removed": report.removed}
    change = CHANGED.say(**counts) if changed else UNCHANGED.say()
    held = {"library": report.library, "chapters": report.chapters, "passages": report.passages}
    yield Line(HELD.say(**held, change=change), "bold")
    yield Line(GRAPH.say(entities=report.entities, relations=report.relations, events=report.events))
    yield from map(Line, summary(report))
    if report.graph_restored:
        yield Line(GRAPH_RESTORED.say(), "yellow")
    if report.vectors_restored:
        yield Line(VECTORS_RESTORED.say(count=report.vectors_restored), "yellow")
    if report.vectors_lost:
        yield Line(VECTORS_LOST.say(others=PAUSE.say().join(report.vectors_lost)), "yellow")
    yield from map(Line, reading_lines(report))
    beside = BESIDE.say() if report.embedding_seconds > report.seconds else ""
    embedding = EMBEDDING.say(seconds=report.embedding_seconds, beside=beside) if report.written else ""
    yield Line(SECONDS.say(seconds=report.seconds) + embedding, "dim")


def show_guarded(report: "IngestReport", library: "Library", people: Sequence[str]) -> None:
    """Print what was written as far as a reader may know it: warnings and counts tell of the whole book."""
    from wenmai.cli.output.horizon import say_place

    counts = {"chapters": library.chapters, "passages": library.passages}
    say(out(), Line(GUARDED.say(library=library.name, **counts), "bold"))
    say_place(library.as_of)
    say(out(), Line(PEOPLE.say(people=PAUSE.say().join(people) or NOBODY.say())))
    say(out(), Line(SECONDS_ALL.say(seconds=report.seconds), "dim"))


def reading_lines(report: "IngestReport") -> list[str]:
    """Return what a model read, what it cost, and what was not believed."""
    from wenmai.cli.output.money import UNPRICED, dollars

    spending, lines = report.spending, []
    if spending.calls or report.kept_answers:
        tokens = {"input": spending.input_tokens, "output": spending.output_tokens}
        cost = dollars(spending.cost_usd)
        lines.append(MODEL.say(calls=spending.calls, **tokens, cost=cost, kept=report.kept_answers))
        lines += [UNPRICED.say()] if spending.cost_usd is None else []
    if report.dropped:
        lines.append(DROPPED.say(count=report.dropped))
    if report.merges:
        lines.append(MERGED.say(count=report.merges))
    return lines


def show_rows(kind: str, rows: list[str]) -> None:
    """Print the first rows of a kind on standard error, and how many more there are."""
    for row in rows[:SHOWN_ROWS]:
        say(err(), Line(ROW.say(kind=kind, row=row), "yellow"))
    if len(rows) > SHOWN_ROWS:
        say(err(), Line(MORE.say(kind=kind, count=len(rows) - SHOWN_ROWS), "yellow"))


def summary(report: "IngestReport") -> Iterator[str]:
    """Yield the parts of the source, who is named most, and what is kept apart from the story."""
    if len(report.parts) > 1:
        parts = COMMA.say().join(PART.say(title=title, chapters=chapters) for title, chapters in report.parts)
        yield PARTS.say(count=len(report.parts), parts=parts)
    yield PEOPLE.say(people=PAUSE.say().join(report.people) or NOBODY.say())
    if report.left_out:
        kinds = PAUSE.say().join(f"{NOTE_KINDS[kind].say()} {count}" for kind, count in report.left_out.items())
        yield LEFT_OUT.say(kinds=kinds, library=report.library)
