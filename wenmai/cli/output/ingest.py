"""What an ingest prints: what was written, what the book holds, and what looks odd."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from wenmai.cli.output.terminal import Line, err, out, say

if TYPE_CHECKING:
    from tools.records import LibraryInfo
    from wenmai.ingestion.contracts import IngestReport

SHOWN_ROWS = 10
NOTE_KINDS: Mapping[str, str] = {
    "front": "书前页",
    "contents": "目录",
    "end": "完结标记",
    "author": "作者的话",
    "translator": "译注",
    "footnote": "脚注",
    "page": "页码",
    "licence": "版权声明",
    "site": "网站广告",
    "picture": "插图说明",
}


def show(report: "IngestReport") -> None:
    """Print what was written, and the rows that were left out."""
    show_rows("注意", report.warnings)
    show_rows("已跳过", report.bad_rows)
    show_rows("模型未读，改用规则", report.unread)
    show_rows("异常", report.odd)
    changed = report.written or report.removed or report.reordered
    change = (
        f"新写 {report.written} 段，未变 {report.unchanged} 段，移除 {report.removed} 段" if changed else "没有变化"
    )
    say(out(), Line(f"资料库 {report.library}：{report.chapters} 章，{report.passages} 段；{change}", "bold"))
    say(out(), Line(f"全库：实体 {report.entities}，关系 {report.relations}，事件 {report.events}"))
    for line in summary(report):
        say(out(), Line(line))
    if report.graph_restored:
        say(out(), Line("图谱已不在原处：全库的图谱已按目录的记录重新写入", "yellow"))
    if report.vectors_restored:
        say(out(), Line(f"有向量已不在原处：所在各章的 {report.vectors_restored} 段已重新嵌入并写入", "yellow"))
    if report.vectors_lost:
        others = "、".join(report.vectors_lost)
        say(out(), Line(f"来源 {others} 的向量也已不在原处：请再次用 wenmai ingest 导入这些来源", "yellow"))
    for line in reading_lines(report):
        say(out(), Line(line))
    beside = "（各工作进程合计）" if report.embedding_seconds > report.seconds else ""
    rate = f"，其中嵌入 {report.embedding_seconds:.1f} 秒{beside}" if report.written else ""
    say(out(), Line(f"用时 {report.seconds:.1f} 秒{rate}", "dim"))


def show_guarded(report: "IngestReport", known: "LibraryInfo", people: Sequence[str], guard: str) -> None:
    """Print what was written as far as a reader may know it: warnings and counts tell of the whole book."""
    chapters, passages = known.counts["chapters"], known.counts["passages"]
    say(out(), Line(f"资料库 {report.library}：导入完成，读到的有 {chapters} 章，{passages} 段", "bold"))
    say(out(), Line(guard, "dim"))
    say(out(), Line(f"主要人物：{'、'.join(people) or '没有找到'}"))
    say(out(), Line(f"用时 {report.seconds:.1f} 秒", "dim"))


def reading_lines(report: "IngestReport") -> list[str]:
    """Return what a model read, what it cost, and what was not believed."""
    from wenmai.cli.output.money import UNPRICED, dollars

    spending, lines = report.spending, []
    if spending.calls or report.kept_answers:
        tokens = f"{spending.input_tokens} + {spending.output_tokens} token，{dollars(spending.cost_usd)}"
        lines.append(f"模型：{spending.calls} 次调用（{tokens}），{report.kept_answers} 份回答已有")
        lines += [UNPRICED] if spending.cost_usd is None else []
    if report.dropped:
        lines.append(f"原文中找不到依据而丢弃：{report.dropped} 条")
    if report.merges:
        lines.append(f"合并的名称：{report.merges} 个（wenmai entities list 查看，split 撤销）")
    return lines


def show_rows(kind: str, rows: list[str]) -> None:
    """Print the first rows of a kind on standard error, and how many more there are."""
    for row in rows[:SHOWN_ROWS]:
        say(err(), Line(f"{kind}：{row}", "yellow"))
    if len(rows) > SHOWN_ROWS:
        say(err(), Line(f"{kind}：另有 {len(rows) - SHOWN_ROWS} 处", "yellow"))


def summary(report: "IngestReport") -> Iterator[str]:
    """Yield the parts of the source, who is named most, and what is kept apart from the story."""
    if len(report.parts) > 1:
        parts = "，".join(f"{title}（{chapters} 章）" for title, chapters in report.parts)
        yield f"共 {len(report.parts)} 部：{parts}"
    yield f"主要人物：{'、'.join(report.people) or '没有找到'}"
    if report.left_out:
        kinds = "、".join(f"{NOTE_KINDS[kind]} {count}" for kind, count in report.left_out.items())
        yield f"不是正文、另存的：{kinds}（wenmai notes -l {report.library} 查看）"
