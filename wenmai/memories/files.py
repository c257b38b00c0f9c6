"""Memories in files: JSONL of memories, JSONL of dialogues, and the files of memorybank (one JSON object)."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any
from uuid import NAMESPACE_OID, uuid5

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tools.errors import InputError
from tools.memory.interchange import to_memory
from tools.memory.ranking import ORDER
from tools.memory.records import SPEAKER, Memory, utc
from tools.memory.service import MemoryService
from tools.reasons import reasons_of
from tools.wording import Words

LINE = Words("{path} 第 {number} 行：{reason}", "{path}, line {number}: {reason}")
NO_OBJECT = Words("{path} 第 {number} 行不是 JSON 对象", "{path}, line {number} is no JSON object")
NO_JSON = Words("{path} 第 {number} 行不是 JSON：{reason}", "{path}, line {number} is no JSON: {reason}")
WHICH = Words(
    "文件含 {count} 段对话：请用 --dialogue 选一段，或不给 --user（每段对话各为一个用户）",
    "the file has {count} dialogues: choose one by --dialogue, or leave --user out (each is then a user)",
)
NO_DIALOGUE = Words("{path} 里没有名为 {name} 的对话", "{path} has no dialogue {name}")
WRONG_LINE = Words("{path} 第 {number} 行有误（{reason}）", "{path}, line {number} is wrong ({reason})")
BANK_FORM = Words(
    "JSON 文件必须是 {{姓名: {{history: {{日期: [{{query, response}}]}}}}}}；记忆请用 JSONL",
    "a JSON file is {{name: {{history: {{date: [{{query, response}}]}}}}}}; for memories use JSON lines",
)
NO_HISTORY = Words("JSON 文件里每个人都要有 history", "in the JSON file everybody has a history")
NOT_UTF8 = Words("{path} 不是 UTF-8 文本：请先转换编码", "{path} is no text in UTF-8: convert it first")
OTHER_SPEAKER = "AI"
EXCHANGE_MINUTES = 1  # memorybank gives the day alone: its exchanges follow each other
Text = Annotated[str, Field(min_length=1)]

# Beside ISO-8601: how records of dialogues write their sessions' times.
TIME_FORMATS = (
    "%I:%M %p on %d %B, %Y",
    "%d %B, %Y",
    "%B %d, %Y",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y年%m月%d日 %H:%M",
    "%Y年%m月%d日",
)


def known_time(value: Any) -> Any:
    """Return a time of one of TIME_FORMATS as such; anything else is for ISO-8601 to read."""
    for pattern in TIME_FORMATS if isinstance(value, str) else ():
        try:
            return datetime.strptime(value.strip(), pattern)
        except ValueError:
            continue
    return value


class TurnRow(BaseModel):
    """One turn of a dialogue; each dialogue is one user. Names and ids may be numbers."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    dialogue: Text
    id: Text
    speaker: str = ""
    text: str
    time: Annotated[datetime, BeforeValidator(known_time)]


@dataclass(frozen=True, slots=True)
class Source:
    """What a file is read for.

    Attributes:
        user: the user of these memories; None: each dialogue's own name, `local` for memories without one.
        dialogue: read only this dialogue.
        now: the date of memories that have none.
    """

    path: Path
    user: str | None
    dialogue: str | None
    now: datetime


def read_memories(source: Source, default_user: str) -> list[Memory]:
    """Return the memories of a file, in its order. Raises InputError, naming the line."""
    try:
        text = source.path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(NOT_UTF8.of(path=source.path)) from error
    bank = _bank(text) if source.path.suffix == ".json" else None
    if bank is not None:
        return _turns_of_owner(_bank_turns(bank, source), source)
    rows = list(_rows(text, source.path))
    if rows and "dialogue" in rows[0][1]:
        return _turns_of_owner(_turns(rows, source), source)
    return [_memory(number, row, source, default_user) for number, row in rows]


def _bank(text: str) -> Mapping[str, Any]:
    try:
        bank = json.loads(text)
        if all("history" in person for person in bank.values()):
            return dict(bank)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(BANK_FORM) from error
    raise InputError(NO_HISTORY)


def _bank_turns(bank: Mapping[str, Any], source: Source) -> Iterator[Memory]:
    for name, person in bank.items():
        for day, exchanges in person["history"].items():
            for number, exchange in enumerate(exchanges):
                moment = utc(day) + timedelta(minutes=number * EXCHANGE_MINUTES)
                for part, speaker in (("query", name), ("response", OTHER_SPEAKER)):
                    if str(exchange.get(part) or "").strip():
                        row = TurnRow(
                            dialogue=name,
                            id=f"{day}#{number + 1}-{part}",
                            speaker=speaker,
                            text=exchange[part],
                            time=moment,
                        )
                        yield _turn(row, 2 * number + (part == "response"), source)


def _turns(rows: Iterable[tuple[int, Mapping[str, Any]]], source: Source) -> Iterator[Memory]:
    for number, row in rows:
        try:
            turn = TurnRow.model_validate(row)
        except ValidationError as error:
            raise InputError(WRONG_LINE.of(path=source.path, number=number, reason=reasons_of(error))) from error
        if turn.text.strip():  # a turn that is a picture alone has nothing to remember
            yield _turn(turn, number, source)


def _turn(row: TurnRow, order: int, source: Source) -> Memory:
    user = source.user or row.dialogue
    return Memory(
        # Turns of several dialogues count alike: given to one user, they must not take each other's place.
        memory_key=row.id if user == row.dialogue else f"{row.dialogue}:{row.id}",
        user_id=user,
        content=row.text,
        created_at=utc(row.time),
        content_metadata={SPEAKER: row.speaker, ORDER: order},
        thread_id=row.dialogue,
    )


def _turns_of_owner(memories: Iterable[Memory], source: Source) -> list[Memory]:
    """Return the turns of the wanted dialogue, or of all; several dialogues are several users, never one."""
    found = [one for one in memories if source.dialogue in (None, one.thread_id)]
    dialogues = sorted({one.thread_id or "" for one in found})
    if not found and source.dialogue is not None:
        raise InputError(NO_DIALOGUE.of(path=source.path, name=source.dialogue))
    if source.user is not None and len(dialogues) > 1:
        raise InputError(WHICH.of(count=len(dialogues)))
    return found


def _rows(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(NO_JSON.of(path=path, number=number, reason=error)) from error
        if not isinstance(row, dict):
            raise InputError(NO_OBJECT.of(path=path, number=number))
        yield number, row


def _memory(number: int, row: Mapping[str, Any], source: Source, default_user: str) -> Memory:
    try:
        return to_memory(row, source.user or default_user, key_of(row), source.now)
    except InputError as error:
        raise InputError(LINE.of(path=source.path, number=number, reason=error)) from error


def key_of(row: Mapping[str, Any]) -> str:
    """Return the key of a memory that brings none: the same text, and no other, has it again at the next import."""
    return str(uuid5(NAMESPACE_OID, repr(sorted(row.items()))))


BATCH = 32  # texts between two steps of the progress bar; a crash loses no more than these


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """How many memories a file had, how many were new or changed, of how many users.

    Attributes:
        doubles: rows that a later one of the same key replaces.
    """

    total: int
    written: int
    users: int
    doubles: int = 0


async def import_memories(
    service: MemoryService,
    memories: Sequence[Memory],
    progress: Callable[[int, int], None],
    undated: datetime | None = None,
) -> MemoryImport:
    """Store memories that are new or changed; `progress` gets (done, total) after every batch.

    Those of the date `undated` have none of their own: stored ones keep theirs.
    """
    fresh = await _fresh(service, memories, undated)
    for begin in range(0, len(fresh), BATCH):
        await service.put(fresh[begin : begin + BATCH])
        progress(min(begin + BATCH, len(fresh)), len(fresh))
    return MemoryImport(
        total=len(memories),
        written=len(fresh),
        users=len({memory.user_id for memory in memories}),
        doubles=len(memories) - len({memory.id for memory in memories}),
    )


async def _fresh(service: MemoryService, memories: Sequence[Memory], undated: datetime | None) -> list[Memory]:
    """Return those that are not stored with the same fields; missing keywords are no difference."""
    fresh: list[Memory] = []
    for user, rows in groupby(sorted(memories, key=lambda one: one.user_id), lambda one: one.user_id):
        group = list({one.memory_key: one for one in rows}.values())
        stored = {one.memory_key: one for one in await service.store.get(user, [one.memory_key for one in group])}
        fresh += [one for one in group if not _same(one, stored.get(one.memory_key), undated)]
    return fresh


def _same(memory: Memory, stored: Memory | None, undated: datetime | None) -> bool:
    if stored is None:
        return False
    date = stored.created_at if memory.created_at == undated else memory.created_at
    return replace(memory, keywords=memory.keywords or stored.keywords, created_at=date) == stored
