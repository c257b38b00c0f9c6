"""What `wenmai ingest` prints: the chapters of a source, what a model would cost, what was written, what looks odd."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tools.records import ChapterOutline
from tools.wording import Words
from wenmai.cli.output.terminal import UNPRICED, Line, dollars, print_line, print_lines, print_place, remark

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.application.libraries import Library
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.chapters.records import LeftOut, SourceChapter
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.model.estimate import Cost, Estimate
    from wenmai.ingestion.sources.loaders import LoadedSource

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
FILE = Words("{name}：{chapters} 章，{parts} 部", "{name}: {chapters} chapters, {parts} parts")
BOOK = Words("《{title}》{authors}", "{title}, {authors}")
PREVIEWED_PART = Words("第 {number} 部 {name}：{chapters} 章", "Part {number}, {name}: {chapters} chapters")
LINE = Words("第 {line} 行  ", "line {line}  ")
UNTITLED = Words("（无标题）", "(no title)")
CHAPTER = Words("  {place}[{number}] {title}  {size} 字", "  {place}[{number}] {title}  {size} characters")
NO_HEADINGS = Words("看似标题而没有算作标题的：{count} 行", "Lines that look like headings and are none: {count}")
NO_HEADING = Words("  第 {line} 行  {text}（{reason}）", "  line {line}  {text} ({reason})")
ODD = Words("异常：{count} 处", "Odd: {count}")
NOTES = Words("不是正文、另存的：{count} 处", "No story, kept apart: {count}")
NOTE = Words("  {place}{kind}：{text}", "  {place}{kind}: {text}")
SAVED = Words(
    "标题清单已写入 {file}：改好后用 --headings {file} 导入",
    "Headings written to {file}: mend it, then use --headings {file}",
)
IS_PREVIEW = Words("这是预览，没有写入资料库", "This is a preview: nothing was written")
NOTE_CHARACTERS = 60
"""Characters of a note that are shown."""
COST = Words(
    "{calls} 次调用，输入约 {input} token{written}，{about}{usd}",
    "{calls} calls, input about {input} tokens{written}, {about}{usd}",
)
ABOUT = Words("约 ", "about ")
WRITTEN = Words("，输出约 {count} token", ", output about {count} tokens")
BASIS = Words(
    "  输入{counted}；输出按正文的 {ratio:.2f} 倍计算（{basis}）",
    "  input {counted}; output is reckoned as {ratio:.2f} times the text ({basis})",
)
EMBEDDING_COST = Words("  嵌入：{cost}（按全部重新嵌入计算）", "  embedding: {cost} (if all is embedded anew)")
READING = Words("  阅读：{cost}{kept}", "  reading: {cost}{kept}")
ESTIMATED = Words(
    "估算：用 {model} 阅读 {chapters} 章，还没有发送任何阅读请求",
    "Estimate: {model} reads {chapters} chapters; no request to read was sent",
)
KEPT = Words("；已有 {count} 份回答，不再发送", "; {count} answers are there and not asked for again")
ASSUMED = Words("假设", "assumed")
MEASURED = Words("由已有的回答测得", "measured on answers that are there")
COUNTED = {
    "service": Words("由 Gemini 的 countTokens 计数", "is counted by countTokens of Gemini"),
    "ratio": Words(
        "按每个汉字 1 个、其余每 4 个字符 1 个粗估（没有密钥时、服务不能计数时的办法，中文偏高）",
        "is reckoned as 1 a Chinese character and 1 every 4 others (without a key or a service that counts; for "
        "Chinese too high)",
    ),
    "ratio, unanswered": Words(
        "按每个汉字 1 个、其余每 4 个字符 1 个粗估（服务没有应答，无法计数；中文偏高）",
        "is reckoned as 1 a Chinese character and 1 every 4 others (the service did not answer; for Chinese too high)",
    ),
}


def show(report: "IngestReport") -> None:
    for key, kind in ROWS.items():
        show_rows(kind.say(), getattr(report, key))
    print_lines(report_lines(report))


def report_lines(report: "IngestReport") -> Iterator[Line]:
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
    counts = {"chapters": library.chapters, "passages": library.passages}
    print_line(GUARDED.say(library=library.name, **counts), "bold")
    print_place(library.as_of)
    print_line(PEOPLE.say(people=PAUSE.say().join(people) or NOBODY.say()))
    print_line(SECONDS_ALL.say(seconds=report.seconds), "dim")


def reading_lines(report: "IngestReport") -> list[str]:
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
        remark(ROW.say(kind=kind, row=row), "yellow")
    if len(rows) > SHOWN_ROWS:
        remark(MORE.say(kind=kind, count=len(rows) - SHOWN_ROWS), "yellow")


def summary(report: "IngestReport") -> Iterator[str]:
    if len(report.parts) > 1:
        parts = COMMA.say().join(PART.say(title=title, chapters=chapters) for title, chapters in report.parts)
        yield PARTS.say(count=len(report.parts), parts=parts)
    yield PEOPLE.say(people=PAUSE.say().join(report.people) or NOBODY.say())
    if report.left_out:
        kinds = PAUSE.say().join(f"{NOTE_KINDS[kind].say()} {count}" for kind, count in report.left_out.items())
        yield LEFT_OUT.say(kinds=kinds, library=report.library)


def show_preview(path: Path, choice: "ChapterChoice", save: Path | None, guard: tuple[int | None, int | None]) -> None:
    """Print what an ingest would make of a source; nothing is written but the headings, to `save`.

    `guard` is the chapter behind which nothing is shown, and its part, where they are given.
    """
    from wenmai.ingestion.chapters.choice import heading_rows
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    horizon = previewed_horizon(loaded, *guard)
    if horizon is None:
        show_rows(ROWS["warnings"].say(), warnings)
    print_place(horizon)
    print_lines(preview_lines(path, loaded, horizon))
    if save:
        save.write_text("\n".join(heading_rows(loaded.chapters)) + "\n", encoding="utf-8")
        print_line(SAVED.say(file=save), "dim")
    print_line(IS_PREVIEW.say(), "dim")


def previewed_horizon(loaded: "LoadedSource", chapter: int | None, part: int | None) -> "Horizon | None":
    from tools.story.guard import meant_part, strictest

    if chapter is None:
        return None
    parts = part_numbers(loaded)
    outline = [
        ChapterOutline(
            task_id=one.task_id, part=parts[one.task_id], number=one.number, digest="", order=one.order, passages=0
        )
        for one in loaded.chapters
    ]
    return strictest(chapter, part or meant_part(outline, chapter))


def preview_lines(path: Path, loaded: "LoadedSource", horizon: "Horizon | None" = None) -> Iterator[Line]:
    parts = part_numbers(loaded)
    shown = [one for one in loaded.chapters if horizon is None or horizon.shows(parts[one.task_id], one.number)]
    yield Line(FILE.say(name=path.name, chapters=len(shown), parts=len({one.task_id for one in shown})), "bold")
    for book in loaded.books.values():
        if book.title:
            yield Line(BOOK.say(title=book.title, authors=PAUSE.say().join(book.authors)))
    for task, group in groupby(shown, key=lambda one: one.task_id):
        chapters = list(group)
        yield Line(PREVIEWED_PART.say(number=parts[task], name=chapters[0].task_name, chapters=len(chapters)), "bold")
        for one in chapters:
            place, title = place_of(one.line), one.title or UNTITLED.say()
            yield Line(CHAPTER.say(place=place, number=one.number, title=title, size=len(one.text)))
    yield from note_lines(shown, is_guarded=horizon is not None)
    rows = loaded.left_out if horizon is None else left_out_in(loaded, shown, path)
    if rows:
        yield Line(NO_HEADINGS.say(count=len(rows)), "bold")
        yield from (Line(NO_HEADING.say(line=row.line, text=row.text, reason=row.reason)) for row in rows)
    if loaded.odd and horizon is None:
        yield Line(ODD.say(count=len(loaded.odd)), "bold")
        yield from (Line(f"  {row}", "yellow") for row in loaded.odd)


def part_numbers(loaded: "LoadedSource") -> dict[str, int]:
    tasks = dict.fromkeys(chapter.task_id for chapter in loaded.chapters)
    return {task: at for at, task in enumerate(tasks, 1)}


def left_out_in(loaded: "LoadedSource", shown: "Sequence[SourceChapter]", path: Path) -> "list[LeftOut]":
    """Return the lines that stand in chapters that are shown; of a folder none: its lines do not name their file."""
    if not path.is_file():
        return []
    begun = sorted(loaded.chapters, key=lambda one: one.line)
    starts = [one.line for one in begun]
    found = set(shown)
    owners = ((row, bisect_right(starts, row.line)) for row in loaded.left_out)
    return [row for row, owner in owners if owner and begun[owner - 1] in found]


def place_of(line: int) -> str:
    """Return the line of a text; a book of many files has none."""
    return LINE.say(line=line) if line else ""


def note_lines(chapters: Sequence["SourceChapter"], *, is_guarded: bool) -> Iterator[Line]:
    """Yield what is kept apart from the story; under a guard nothing that tells of what comes."""
    from wenmai.ingestion.library.notes import TELLING

    found = (note for chapter in chapters for note in chapter.notes if not (is_guarded and note.kind in TELLING))
    notes = sorted(found, key=lambda note: note.line)
    if notes:
        yield Line(NOTES.say(count=len(notes)), "bold")
    for note in notes:
        text = " ".join(note.text.split())
        shown = f"{text[:NOTE_CHARACTERS]}{'…' if len(text) > NOTE_CHARACTERS else ''}"
        yield Line(NOTE.say(place=place_of(note.line), kind=NOTE_KINDS[note.kind].say(), text=shown))


def estimate_lines(found: "Estimate") -> Iterator[Line]:
    basis = MEASURED.say() if found.measured else ASSUMED.say()
    kept = KEPT.say(count=found.kept) if found.kept else ""
    yield Line(ESTIMATED.say(model=found.model, chapters=found.chapters), "bold")
    yield Line(READING.say(cost=cost_phrase(found.reading), kept=kept))
    if found.embedding:
        yield Line(EMBEDDING_COST.say(cost=cost_phrase(found.embedding)))
    yield Line(BASIS.say(counted=COUNTED[found.counted_by], ratio=found.output_ratio, basis=basis))
    if None in (found.reading.usd, found.embedding.usd if found.embedding else 0.0):
        yield Line(f"  {UNPRICED.say()}", "yellow")


def cost_phrase(cost: "Cost") -> str:
    written = WRITTEN.say(count=cost.output_tokens) if cost.output_tokens else ""
    about = "" if cost.usd is None else ABOUT.say()
    return COST.say(calls=cost.calls, input=cost.input_tokens, written=written, about=about, usd=dollars(cost.usd))
