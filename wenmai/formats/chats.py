"""Exports of chats: WhatsApp, WeChat and QQ as text, Telegram as JSON. A day is a chapter, a message a line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from typing import Any

from tools.text.sentences import TIME_BEHIND
from wenmai.formats.blocks import Block

LEAST_MESSAGES = 2
HEADED_SHARE = 0.2
"""Share of the lines with text that must begin a message; long messages have several lines."""
_DAY = r"(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{1,4})"
_TIME = r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.]\d{2})?(?:\s*(?P<half>[apAP])\.?\s?[mM]\.?)?"
_BEFORE = re.compile(rf"^[\u200e\u200f\u202a]*\[?{_DAY},?\s+{_TIME}\]?\s*(?:[-–]\s*)?(?P<rest>\S.*)?$")
_SENDER = re.compile(r"^(?P<sender>[^:：\n]{1,40}?)\s*[:：](?:\s+(?P<text>.*)|(?P<glued>[^\s/].*))?$")
_ACCOUNT = re.compile(r"\s*[(（<]\s*[\w.@+-]{5,}\s*[)）>]$")  # QQ gives the number behind the name
_JUNK = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_PROGRAM = re.compile(
    r"<(?:media|image|video|audio|sticker|document|gif|view once message) omitted>"
    r"|(?:image|video|audio|sticker|document|gif|contact card) omitted|<attached: .*>|.* \(file attached\)"
    r"|(?:this message was deleted|you deleted this message)\.?|missed (?:voice|video) call.*"
    r"|[<\[【（(]?(?:图片|视频|语音|动画表情|表情|文件|媒体已忽略|省略多媒体文件|链接|位置)[>\]】）)]?"
    r"|(?:此消息已被?(?:删除|撤回)|.{0,20}撤回了一条消息)[。.]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message: its day as ISO writes it, its time as hour and minute, who sent it."""

    day: str
    time: str
    sender: str
    text: str


def chat_messages(text: str) -> list[SentMessage] | None:
    """Return the messages of an export as text, None for any other text. What the program itself says is left out."""
    lines = [_JUNK.sub("", line) for line in text.replace("\u202f", " ").replace("\xa0", " ").split("\n")]
    heads = [_BEFORE.match(line) for line in lines]
    known = [head for head in heads if head]
    filled = sum(bool(line.strip()) for line in lines)
    if len(known) < LEAST_MESSAGES or len(known) < HEADED_SHARE * filled or not heads[_first(lines)]:
        return None
    days = [(head["a"], head["b"], head["c"]) for head in known]
    is_month_first = _is_month_first(days)
    found: list[SentMessage] = []
    is_open = False
    for line, head in zip(lines, heads, strict=True):
        if head and (day := _day(head["a"], head["b"], head["c"], is_month_first)):
            message = _message(day, head)
            is_open = message is not None
            found += [message] if message else []
        elif is_open and line.strip():
            last = found[-1]
            found[-1] = replace(last, text=f"{last.text} {line.strip()}".strip())
    found = [one for one in found if one.text and not _is_program(one.text)]
    return found if len({one.sender for one in found}) >= LEAST_MESSAGES else None


def _first(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.strip()), 0)


def _message(day: str, head: re.Match[str]) -> SentMessage | None:
    """Return the message that a line begins; None for what the program says, which has no sender."""
    rest = (head["rest"] or "").strip()
    match = _SENDER.match(rest)
    if match:
        return SentMessage(day, _clock(head), _ACCOUNT.sub("", match["sender"]), match["text"] or match["glued"] or "")
    if not rest or head[0].lstrip().startswith("[") or re.search(r"\s[-–]\s", head[0][: head.start("rest")]):
        return None
    return SentMessage(day, _clock(head), _ACCOUNT.sub("", rest), "")  # WeChat, QQ: the text stands below


def _is_month_first(days: Sequence[tuple[str, str, str]]) -> bool:
    return any(int(b) > 12 for a, b, _ in days if len(a) < 4)


def _day(a: str, b: str, c: str, is_month_first: bool) -> str:
    """Return a day as ISO writes it, '' for none."""
    year, month, day = (a, b, c) if len(a) == 4 else (c, a, b) if is_month_first else (c, b, a)
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _clock(head: re.Match[str]) -> str:
    hour, half = int(head["hour"]), (head["half"] or "").lower()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    return f"{hour:02}:{head['minute']}"


def _is_program(text: str) -> bool:
    """Return True for what stands in place of a message: left-out media, a deleted message."""
    return _PROGRAM.fullmatch(text.strip()) is not None


def telegram_messages(shape: Any) -> list[SentMessage] | None:
    """Return the messages of Telegram's result.json, of one chat or of all; None for other JSON."""
    if not isinstance(shape, dict):
        return None
    chats = shape.get("chats", {}).get("list") if isinstance(shape.get("chats"), dict) else [shape]
    held = [chat.get("messages") for chat in chats or [] if isinstance(chat, dict)]
    rows = [row for messages in held if isinstance(messages, list) for row in messages]
    rows = [row for row in rows if isinstance(row, dict) and "date" in row and "from" in row and "text" in row]
    found = [
        SentMessage(
            str(row["date"])[:10], str(row["date"])[11:16], str(row["from"] or "?"), _telegram_text(row["text"])
        )
        for row in rows
        if row.get("type", "message") == "message"
    ]
    return [one for one in found if one.text] or None


def _telegram_text(text: Any) -> str:
    """Return a text, which may be a list of texts and of objects with one."""
    parts = text if isinstance(text, list) else [text]
    said = (part.get("text", "") if isinstance(part, dict) else part for part in parts)
    return " ".join("".join(map(str, said)).split())


def chat_blocks(messages: Sequence[SentMessage]) -> list[Block]:
    return list(_day_blocks(messages))


def _day_blocks(messages: Sequence[SentMessage]) -> Iterator[Block]:
    for day, sent in groupby(messages, lambda one: one.day):
        yield Block(text=day, level=1)
        for one in sent:
            yield Block(text=TIME_BEHIND.format(text=f"{one.sender}: {one.text}", time=one.time))
