"""Style names that a story gives its own people."""

from wenmai.ingestion.names.equations import style_names
from wenmai.ingestion.sources.aliases import KnownName

TEXT = "其人曰：“某姓张，名飞，字翼德。”又有太史慈，字子义，东莱人也。刘岱字公山。此人姓李，名无名，字子虚。"


def known(*names: str) -> list[KnownName]:
    return [KnownName(name=name) for name in names]


def test_a_style_name_is_an_alias_alone_and_behind_the_surname() -> None:
    found = {entry.name: entry.aliases for entry in style_names([TEXT], known("张飞", "太史慈"))}
    assert found == {"张飞": ("翼德", "张翼德"), "太史慈": ("子义", "太史子义")}


def test_namesakes_and_unknown_people_get_none() -> None:
    """STO-07: nothing tells which of two namesakes a style name belongs to."""
    assert style_names([TEXT], known("刘岱[东汉]", "刘岱[魏]")) == []
