"""Texts for readers at another machine: without its folders and its commands."""

from pathlib import Path

import pytest

from tools.holding import holding
from tools.messages import IS_REMOTE, Message, Names, speaking

LIBRARY = Message(
    "没有名为 {library} 的资料库：请先用 wenmai ingest 建立", "there is no library {library}: make it by wenmai ingest"
)
UNREADABLE = Message("无法读取 {path}（{reason}）：{restore}", "{path} cannot be read ({reason}): {restore}")
ADVICE = Message("请用 wenmai delete 删除 {library}", "delete {library} by wenmai delete")
ENGINE = "IO Error: cannot open /srv/data/book/graph.lbug (2/3)"


@pytest.mark.parametrize(
    ("message", "here", "zh", "en"),
    [
        (LIBRARY.of(library="book"), "wenmai ingest", "没有名为 book 的资料库", "there is no library book"),
        (
            UNREADABLE.of(path=Path("/srv/data/book"), reason=ENGINE, restore=ADVICE.of(library="book")),
            "/srv/data/book/graph.lbug",
            "无法读取 book（IO Error: cannot open graph.lbug (2/3)）",
            "book cannot be read (IO Error: cannot open graph.lbug (2/3))",
        ),
        (
            Message("没有 {url}", "there is no {url}").of(url="http://a.org/b/c"),
            "a.org/b/c",
            "没有 http://a.org/b/c",
            "there is no http://a.org/b/c",
        ),
    ],
)
def test_a_text_for_readers_at_another_machine(message: Message, here: str, zh: str, en: str) -> None:
    assert here in str(message)
    with holding(IS_REMOTE, True):
        assert str(message) == zh
        with speaking("en"):
            assert str(message) == en


def test_signs_between_names_reach_another_machine() -> None:
    with holding(IS_REMOTE, True), speaking("en"):
        assert str(Names(("a", "b"))) == "a, b"
        assert Message("名称：", "name: ").say() == "name: "
