"""What is wrong with a command line is said in the language of the terminal."""

import pytest

from wenmai.cli.app import USAGE, run
from wenmai.cli.refusals import OF_PARSER

WRONG = {
    ("ask",): ("缺少参数 'question'", "Missing argument 'question'"),
    ("asq",): ("没有命令 'asq'。 是不是 'ask'？", "No such command 'asq'. Did you mean 'ask'?"),
    ("ask", "--libary", "x", "问"): ("没有选项 --libary", "No such option: --libary"),
    ("ask", "-l", "x", "--as-of-chapter", "x", "问"): ("'--as-of-chapter' 的值不对：应为整数", "Invalid value for"),
    ("ask", "-l"): ("选项 '-l' 需要一个值", "Option '-l' requires"),
    ("ask", "问"): ("请用 --library 指定资料库", "choose a library with --library"),
    ("ask", "-l", "x", "--as-of-part", "1", "问"): ("--as-of-part 需要与", "--as-of-part needs --as-of-chapter"),
    ("docs", "remove"): ("请用 --session 指定会话", "give a conversation with --session"),
    ("notes", "-l", "x", "--kind", "y"): ("没有 y 这一类", "there is no kind y"),
}


@pytest.mark.parametrize("arguments", WRONG)
@pytest.mark.parametrize("locale", ["zh_CN.UTF-8", "en_US.UTF-8"])
def test_the_language_of_the_terminal(
    locale: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    chinese, english = WRONG[arguments]
    assert run(arguments) == USAGE
    error = capsys.readouterr().err
    assert (chinese if locale.startswith("zh") else english) in error


def test_no_message_is_translated_twice() -> None:
    assert len({pattern for pattern, _ in OF_PARSER}) == len(OF_PARSER)
