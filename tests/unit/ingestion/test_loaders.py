import json
import zipfile
from pathlib import Path

import pytest

from tools.errors import IngestError
from wenmai.ingestion.sources.decoding import MAX_BYTES
from wenmai.ingestion.sources.loaders import load

STORY = (
    "第一回　风起\n话说天下大势，分久必合，合久必分。他说：“我来了。”\n\n"
    "第二回　云涌\n次日，众人都到了，只是不见他的人影。\n"
)


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-32"])
def test_every_usual_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    chapters = load(write(tmp_path, "书.txt", (STORY * 3).replace("第二回", "第三回").encode(encoding)))
    assert chapters[0].title == "第一回 风起"
    assert "分久必合" in chapters[0].text


def test_big5_is_told_from_gb18030(tmp_path: Path) -> None:
    text = "第一回　風起\n話說天下大勢，分久必合，合久必分。他說：「我來了，你們都不知道這個人。」\n" * 5
    chapters = load(write(tmp_path, "書.txt", text.encode("big5hkscs")))
    assert "話說天下大勢" in chapters[0].text


def test_json_takes_the_storys_own_numbers(tmp_path: Path) -> None:
    """S000-41: 第N回 in the title is the chapter, not the place in the list; an appendix follows the last."""
    rows = [
        {"n": 0, "title": "第一回　甲", "text": "第一回　甲\n正文一。"},
        {"n": 1, "title": "第一百零五回　乙", "text": "正文二。"},
        {"n": 2, "title": "附录　丙", "text": "正文三。"},
        {"n": 2000, "title": "无回目", "text": "正文四。"},
    ]
    path = write(tmp_path, "书.json", json.dumps({"book": "书", "chapters": rows}))
    assert [(c.number, c.text) for c in load(path)] == [
        (1, "正文一。"),
        (105, "正文二。"),
        (106, "正文三。"),
        (2000, "正文四。"),
    ]


def test_numbers_that_start_again_begin_a_part(tmp_path: Path) -> None:
    """STO-03: a plain novel is one task named by its stem; the second part is `<stem>#2`."""
    text = "第一部 灯灭\n\n第一章 甲\n一。\n第二章 乙\n二。\n第二部 潮生\n第一章 丙\n三。\n第二章 丁\n四。"
    chapters = load(write(tmp_path, "雾港.txt", text))
    assert [(c.task_id, c.number, c.title, c.text) for c in chapters] == [
        ("雾港", 1, "第一章 甲", "一。"),
        ("雾港", 2, "第二章 乙", "二。"),
        ("雾港#2", 1, "第一章 丙", "三。"),
        ("雾港#2", 2, "第二章 丁", "四。"),
    ]


def test_folder_of_dialogues(tmp_path: Path) -> None:
    """STO-03: `Data/<task_id>/chapter<N>_dialogue.txt`, chapter 10 after chapter 9."""
    for n in (1, 2, 9, 10):
        write(tmp_path, f"Data/1608/chapter{n}_dialogue.txt", f"派蒙：第{n}段。")
    write(tmp_path, "Data/1701/chapter0_dialogue.txt", "旅行者：走吧。")
    found = [(c.task_id, c.number, c.source_file) for c in load(tmp_path / "Data")]
    assert [(task, n) for task, n, _ in found] == [("1608", 1), ("1608", 2), ("1608", 9), ("1608", 10), ("1701", 0)]
    assert found[0][2] == "1608/chapter1_dialogue.txt"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("序言很长。" * 20 + "\n第一章 甲\n一。", [(0, ""), (1, "第一章 甲")]),
        ("书名\n第一章 甲\n一。", [(1, "第一章 甲")]),
        ("没有章节的一段话。", [(1, "")]),
        ("楔子\n零。\n第一回 甲\n一。", [(0, "楔子"), (1, "第一回 甲")]),
        ("Chapter One: Fog\nIt began.\nCHAPTER II\nIt went on.", [(1, "Chapter One: Fog"), (2, "CHAPTER II")]),
        ("第一章 甲\n他们打到第三回合，第二章节也没写完。\n第3节 乙\n二。", [(1, "第一章 甲"), (3, "第3节 乙")]),
        ("第一章 甲\n\n第二章 乙\n\n第一章 甲\n一。\n第二章 乙\n二。", [(1, "第一章 甲"), (2, "第二章 乙")]),
        ("第五回 上\n一。\n第五回 下\n二。", [(5, "第五回 上")]),
        ("第一章　谁在敲钟？\n一。\n第二章：天亮了！\n二。", [(1, "第一章 谁在敲钟？"), (2, "第二章：天亮了！")]),
        ("第一章 甲\n第二回他又来了！\n一。", [(1, "第一章 甲")]),
        ("第一章 甲\n一。\n番外一　乙\n二。\n番外篇\n三。", [(1, "第一章 甲"), (1, "番外一 乙"), (2, "番外篇")]),
        ("简介很长。" * 20 + "\n楔子\n零。\n第一回 甲\n一。", [(0, "楔子"), (1, "第一回 甲")]),
        (
            "第三章 甲\n一。\n第四章 乙\n二。\n第四章 丙\n三。\n第六章 丁\n四。",
            [(3, "第三章 甲"), (4, "第四章 乙"), (5, "第四章 丙"), (6, "第六章 丁")],
        ),
        (
            "第三章 乙\n二。\n第四章 丙\n三。\n第四章 丁\n四。\n第五章 戊\n五。",
            [(3, "第三章 乙"), (4, "第四章 丙"), (4, "第四章 丁"), (5, "第五章 戊")],
        ),
        (
            "CHAPTER 1\n\nA Visit\n\nIt began.\n\nCHAPTER 2\n\nWhat Then?\n\nIt went on.",
            [(1, "CHAPTER 1: A Visit"), (2, "CHAPTER 2: What Then?")],
        ),
        ("CHAPTER 1\n\nIt began.\n\nCHAPTER 2\n\nNo end\n\nof it.", [(1, "CHAPTER 1"), (2, "CHAPTER 2")]),
    ],
)
def test_where_chapters_begin(tmp_path: Path, text: str, found: list[tuple[int, str]]) -> None:
    assert [(c.number, c.title) for c in load(write(tmp_path, "书.txt", text))] == found


def test_bare_numbers_begin_chapters(tmp_path: Path) -> None:
    """Numbers that count from one with a story between them are chapters, a short list is none."""
    body = "他走进村子里去了，天还没有亮。" * 20
    text = f"书名\n一　麦场\n{body}\n\u3000\u3000二  菜圃\n{body}\n一○　无此\n三　荒山\n{body}"
    found = [(c.number, c.title, c.text.count("天还没有亮")) for c in load(write(tmp_path, "书.txt", text))]
    assert found == [(1, "一 麦场", 20), (2, "二 菜圃", 20), (3, "三 荒山", 20)]
    listed = load(write(tmp_path, "单.txt", "要买的东西：\n一　鸡蛋\n二　牛奶\n三　面粉\n别忘了。"))
    assert [c.number for c in listed] == [1] and "牛奶" in listed[0].text


def test_markdown_headings(tmp_path: Path) -> None:
    chapters = load(write(tmp_path, "book.md", "# 起\n一。\n## 场\n二。\n# 落\n三。"))
    assert [(c.number, c.title, c.text) for c in chapters] == [(1, "起", "一。\n## 场\n二。"), (2, "落", "三。")]


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", "空"),
        ("a.txt", b"   \n\n", "没有正文"),
        ("a.txt", bytes(range(256)) * 40, "不是文本"),
        ("a.txt", "第一章\n正\0文\0正\0文。".encode(), "不是文本"),
        ("a.json", b'{"book": "x", "chapters": [', "JSON 有错"),
        ("a.json", b"[" * 100_000, "JSON 有错"),
        ("a.json", b'{"pages": []}', "chapters"),
        ("a.json", b'{"chapters": [{"title": "x"}]}', "text"),
        ("a.epub", b"not a zip", "损坏"),
        ("a.docx", b"not a zip", "损坏"),
        ("a.pdf", b"%PDF-1.7", "不是可读的 PDF"),
        ("a.doc", b"x", "不支持"),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(IngestError) as error:
        load(path)
    assert name in str(error.value) and reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_large_is_refused_without_reading_it(tmp_path: Path) -> None:
    sparse(tmp_path / "big.txt")
    with pytest.raises(IngestError, match="上限是 64 MB"):
        load(tmp_path / "big.txt")


def test_a_zero_byte_costs_one_character(tmp_path: Path) -> None:
    [first, _] = load(write(tmp_path, "书.txt", STORY.replace("分久", "分\0久")))
    assert "分\ufffd久必合" in first.text


@pytest.mark.parametrize(
    ("encoding", "text"), [("gb18030", STORY), ("utf-8", "Chapter 1\n\nThe café “shut”. A? end.\n")]
)
def test_a_short_text_may_have_a_few_stray_bytes(tmp_path: Path, encoding: str, text: str) -> None:
    broken = text.encode(encoding)[:-4] + b"\xff" + text.encode(encoding)[-4:]
    assert "\ufffd" in load(write(tmp_path, "书.txt", broken))[-1].text


def test_a_link_does_not_lead_out_of_a_folder(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.txt", STORY)
    folder = write(tmp_path, "folder/a.xyz", "x").parent
    (folder / "link.txt").symlink_to(secret)
    with pytest.raises(IngestError, match=r"link\.txt（链接到文件夹之外）") as caught:
        load(folder)
    assert "a.xyz（不支持 .xyz）" in str(caught.value)


@pytest.mark.parametrize("suffix", ["docx", "epub"])
def test_an_archive_of_something_else_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme", "x")
    with pytest.raises(IngestError, match=suffix.upper()):
        load(path)


def test_a_missing_path_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="不存在"):
        load(tmp_path / "none.txt")
    with pytest.raises(IngestError, match="没有找到正文"):
        load(tmp_path)
