"""Hostile files through the real parser process: each is refused with its reason or read as plain data."""

import pytest

from benchmarks.hostile_files import Hostile, hostile
from tools.errors import IngestError
from wenmai.documents.parsing.parser import Parser


@pytest.mark.costly
@pytest.mark.parametrize("file", [pytest.param(one, id=one.label) for one in hostile()])
def test_a_hostile_file(file: Hostile) -> None:
    """DOC-03: a clear reason, or the text and nothing else; this process goes on."""
    parser = Parser(1000, 200)
    if file.said:
        with pytest.raises(IngestError, match=file.said) as caught:
            parser.parse(file.filename, file.make())
        assert file.filename in str(caught.value) and "\n" not in str(caught.value)
    else:
        text = parser.parse(file.filename, file.make()).text
        assert file.holds in text
        assert file.lacks not in text


def test_a_file_that_takes_too_long() -> None:
    """DOC-03: the deadline ends the process, and says so."""
    with pytest.raises(IngestError, match=r"a\.txt：0\.05 秒内没有读完"):
        Parser(1000, 200, seconds=0.05).parse("a.txt", b"hello")


def test_the_process_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """DOC-03: a library that a file takes over finds no key in its environment."""
    from wenmai.documents.parsing.parser import environment

    monkeypatch.setenv("GOOGLE_API_KEY", "secret")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    assert "secret" not in environment().values()
