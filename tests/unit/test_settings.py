"""Settings: what is no setting, and keys that cannot be sent."""

import re

import pytest

import wenmai
from wenmai.errors import ConfigError
from wenmai.settings import load_settings


@pytest.mark.parametrize(
    ("name", "said"),
    [("foo", "no setting 'foo'"), ("data_dri", "did you mean 'data_dir'"), ("as_of_chapter", "a keyword of ask()")],
)
async def test_a_keyword_that_is_no_setting(name: str, said: str) -> None:
    """Open_agent names it, and the one that was meant."""
    with pytest.raises(TypeError, match=re.escape(said)):
        async with wenmai.open_agent(**{name: 1}):  # type: ignore[arg-type]  # that is the point
            pass


async def test_settings_and_single_ones_are_not_mixed() -> None:
    """Nothing that a caller sets is dropped without a word."""
    with pytest.raises(TypeError, match="not both: log_level"):
        async with wenmai.open_agent(load_settings(), log_level="DEBUG"):
            pass


@pytest.mark.parametrize("variable", ["GOOGLE_API_KEY", "GEMINI_API_KEY", "LANGSMITH_API_KEY"])
@pytest.mark.parametrize("key", ["“abc”", "密钥", "ab\tc", "AIza\u200b"])
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, variable: str, key: str) -> None:
    """It is refused before it is sent, by the variable's name and without showing it."""
    monkeypatch.setenv(variable, key)
    with pytest.raises(ConfigError, match=r"^\w+_API_KEY: must hold ASCII characters only") as caught:
        load_settings(_env_file=None)
    assert key not in str(caught.value)
    assert str(caught.value).split(":")[0] in ("GOOGLE_API_KEY", variable)


def test_blanks_around_a_key_are_no_part_of_it() -> None:
    """A key that was copied with its line end works."""
    key = load_settings(_env_file=None, google_api_key=" abc\n").google_api_key
    assert key is not None and key.get_secret_value() == "abc"
