"""Memories and talks in files, and their import."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.memories.desk import NOON, Desk
from tools.errors import InputError
from tools.memory.records import Memory, MemoryFilter
from wenmai.memories.files import BATCH, MemoryImport, Source, import_memories, read_memories

TURNS = [
    {"dialogue": "d1", "id": "1", "speaker": "Ann", "text": "hi", "time": "2023-05-08T13:56:00"},
    {"dialogue": "d1", "id": "2", "speaker": "Bob", "text": "hello", "time": "2023-05-08T13:56:00"},
    {"dialogue": "d2", "id": "1", "speaker": "林", "text": "你好", "time": "2023-05-08T21:56:00+08:00"},
]
BANK = {
    "张三": {"history": {"2023-04-27": [{"query": "你好", "response": "你好呀"}, {"query": "再见", "response": ""}]}}
}


def written(folder: Path, name: str, rows: Any) -> Path:
    path = folder / name
    lines = [json.dumps(row, ensure_ascii=False) for row in rows] if isinstance(rows, list) else [json.dumps(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path, user: str | None = None, dialogue: str | None = None) -> list[Memory]:
    return read_memories(Source(path, user, dialogue, NOON), "local")


def test_talks(tmp_path: Path) -> None:
    """MEM-03: each dialogue is one user, each turn one memory in the order of the file."""
    rows = read(written(tmp_path, "t.jsonl", TURNS))
    assert [(row.user_id, row.memory_key, row.speaker, row.thread_id) for row in rows] == [
        ("d1", "1", "Ann", "d1"),
        ("d1", "2", "Bob", "d1"),
        ("d2", "1", "林", "d2"),
    ]
    assert {row.created_at.isoformat() for row in rows} == {"2023-05-08T13:56:00+00:00"}
    assert [row.content_metadata["order"] for row in rows] == [1, 2, 3]


def test_times_and_numbers_of_other_collections(tmp_path: Path) -> None:
    """MEM-03: session times as histories write them, numbers as ids; a turn without words is no memory."""
    times = ["1:56 pm on 8 May, 2023", "2023年5月8日 13:56", "2023/05/08 13:56", "2023-05-08 13:56"]
    rows = [{"dialogue": 7, "id": n, "speaker": "Ann", "text": "hi", "time": time} for n, time in enumerate(times)]
    rows.append({"dialogue": 7, "id": 9, "speaker": "Ann", "text": " ", "time": times[0]})
    found = read(written(tmp_path, "t.jsonl", rows))
    assert [(one.user_id, one.memory_key) for one in found] == [("7", "0"), ("7", "1"), ("7", "2"), ("7", "3")]
    assert {one.created_at.isoformat() for one in found} == {"2023-05-08T13:56:00+00:00"}


def test_dialogues_are_never_mixed_into_one_user(tmp_path: Path) -> None:
    """MEM-06: several dialogues for one user is an error; one may be chosen."""
    path = written(tmp_path, "t.jsonl", TURNS)
    with pytest.raises(InputError, match="2 段对话"):
        read(path, user="甲")
    one, other = read(path, "甲", "d1"), read(path, "甲", "d2")
    assert {row.user_id for row in (*one, *other)} == {"甲"}
    assert [row.memory_key for row in (*one, *other)] == ["d1:1", "d1:2", "d2:1"]
    with pytest.raises(InputError, match="没有名为 d3"):
        read(path, dialogue="d3")


def test_memorybank(tmp_path: Path) -> None:
    """MEM-03: both sides of an exchange are memories of the person; empty ones are left out."""
    rows = read(written(tmp_path, "bank.json", BANK))
    assert [(row.user_id, row.memory_key, row.speaker, row.content) for row in rows] == [
        ("张三", "2023-04-27#1-query", "张三", "你好"),
        ("张三", "2023-04-27#1-response", "AI", "你好呀"),
        ("张三", "2023-04-27#2-query", "张三", "再见"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", "{", "第 1 行不是 JSON"),
        ("a.jsonl", '{"content": "好"}\n[1]', "第 2 行不是 JSON 对象"),
        ("a.jsonl", '{"content": " "}', "第 1 行.*content: 不能为空"),
        ("a.jsonl", '{"content": "好", "keywords": [{"keyword": "a", "weight": 9}]}', "keywords.0.weight: 不能大于 1"),
        ("a.jsonl", '{"content": "好", "content_metadata": {"a": NaN}}', "content_metadata: 必须是 JSON 对象"),
        ("a.jsonl", r'{"content": "好", "content_metadata": {"a": "\ud800"}}', "content_metadata: 必须是 JSON 对象"),
        ("a.jsonl", r'{"content": "\ud800"}', "content: 不是有效的 Unicode 文本"),
        ("a.jsonl", '{"content": "好", "content_metadata": {"a": ' + "[" * 40 + "]" * 40 + "}}", "过深的嵌套"),
        ("a.jsonl", "[" * 9_000, "第 1 行不是 JSON"),
        ("a.jsonl", '{"content": "好", "user_id": "乙"}', "用户 乙"),
        ("a.jsonl", '{"dialogue": "d", "id": "1", "text": "x", "time": "明天"}', "第 1 行.*time: 必须是 ISO-8601"),
        ("a.json", "[]", "history"),
        ("a.json", '{"张三": {}}', "history"),
        ("a.json", "{", "history"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str, said: str) -> None:
    """S002-29: the message names the file's line and what is wrong."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read(tmp_path / name)


async def test_import_twice_writes_once(tmp_path: Path) -> None:
    """PLA-19: an import is idempotent by key; a changed line alone is written again."""
    desk = Desk()
    rows = [{"memory_key": f"k{n}", "content": f"第{n}条", "created_at": "2026-01-01"} for n in range(BATCH + 3)]
    path = written(tmp_path, "m.jsonl", rows)
    steps: list[tuple[int, int]] = []
    count = len(rows)
    report = await import_memories(desk.keeper, read(path), lambda *step: steps.append(step))
    assert report == MemoryImport(total=count, written=count, users=1)
    assert steps == [(BATCH, count), (count, count)]
    assert await import_memories(desk.keeper, read(path), lambda *_: None) == MemoryImport(count, 0, 1)
    rows[1]["content"] = "改过"
    assert (await import_memories(desk.keeper, read(written(tmp_path, "m.jsonl", rows)), print)).written == 1
    assert await desk.store.count("local", MemoryFilter(active=None)) == count


async def test_rows_without_key_or_date(tmp_path: Path) -> None:
    """PLA-19: their text is their key: an import again writes nothing, another file takes nobody's place."""
    desk = Desk()
    for folder, text in (("a", "我喜欢蓝色"), ("b", "我养了一只猫"), ("a", "我喜欢蓝色")):
        (tmp_path / folder).mkdir(exist_ok=True)
        path = written(tmp_path / folder, "m.jsonl", [{"content": text}])
        later = NOON + timedelta(days=len(await desk.store.scroll("local", MemoryFilter())))
        memories = read_memories(Source(path, None, None, later), "local")
        report = await import_memories(desk.keeper, memories, lambda *_: None, later)
    assert report == MemoryImport(total=1, written=0, users=1)
    kept = await desk.store.scroll("local", MemoryFilter())
    assert {(row.content, row.created_at) for row in kept} == {
        ("我喜欢蓝色", NOON),
        ("我养了一只猫", NOON + timedelta(days=1)),
    }


async def test_doubles_in_a_file(tmp_path: Path) -> None:
    """MEM-03: of two rows with one key the later stands, and the report counts the other."""
    desk = Desk()
    path = written(tmp_path, "m.jsonl", [{"memory_key": "k", "content": text} for text in ("一", "二")])
    report = await import_memories(desk.keeper, read(path), lambda *_: None)
    assert report == MemoryImport(total=2, written=1, users=1, doubles=1)
    assert [row.content for row in await desk.store.get("local", ["k"])] == ["二"]
