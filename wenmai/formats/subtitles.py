"""Subtitles (srt, vtt, ass) through pysubs2: a line for each speech, with its time."""

import re

from tools.messages import Message
from tools.text.sentences import TIME_BEHIND
from wenmai.formats.blocks import Block, Unreadable, require_format

NEXT = " – "
_DASH = re.compile(r"^\s*[-–—]\s*(?=\S)")
_VOICE = re.compile(r"<v(?:\.[\w.]+)?\s+([^>]+)>")
_TAGS = re.compile(r"</?[a-zA-Z][^>]*>|\{\\[^}]*\}")
_CUE = re.compile(r"^([A-Z][A-Z .'’-]{1,30}):\s*(?=\S)")


def subtitle_blocks(text: str) -> list[Block]:
    """Return the speeches in their order. Raises Unreadable."""
    require_format("formats", "SRT, VTT, ASS")
    from pysubs2 import SSAFile
    from pysubs2.exceptions import Pysubs2Error

    try:
        # In a VTT a voice stands in a tag, which the library drops.
        events = SSAFile.from_string(_VOICE.sub(r"\1: ", text)).events
    except (Pysubs2Error, ValueError) as error:
        raise Unreadable(Message("document.no_text"), Message("document.export_again")) from error
    lines = ((one.start, _spoken(one.text)) for one in sorted(events, key=lambda one: one.start))
    return [Block(text=TIME_BEHIND.format(text=text, time=clock(start))) for start, text in lines if text]


def _spoken(text: str) -> str:
    """Return what is said in one subtitle on a line; a speech that a dash begins is parted from the one before."""
    lines = [_TAGS.sub("", line).strip() for line in text.replace("\\N", "\n").replace("\\n", "\n").split("\n")]
    found = ""
    for line in filter(None, lines):
        speech = _named(_DASH.sub("", line))
        found = f"{found}{(NEXT if _DASH.match(line) else ' ')}{speech}" if found else speech
    return found


def _named(line: str) -> str:
    """Return a line with the name of who speaks as names are written: NORA: is Nora:."""
    return _CUE.sub(lambda cue: f"{cue[1].title()}: ", line)


def clock(milliseconds: int) -> str:
    minutes, seconds = divmod(milliseconds // 1000, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
