"""An empty environment variable counts as unset, for every setting."""

import os
from pathlib import Path

import pytest

from tools.errors import ConfigError
from wenmai.settings.group import variables
from wenmai.settings.settings import Settings, load_settings

VARIABLES = [name for field, info in Settings.model_fields.items() for name in variables(field, info)]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of a setting is set, and there is no `.env`."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", VARIABLES)
def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The default holds, and the setting does not count as set."""
    unset = load_settings()
    monkeypatch.setenv(name, "")
    settings = load_settings()
    assert settings.model_dump() == unset.model_dump()
    assert not settings.model_fields_set


def test_a_file_of_empty_lines_sets_nothing() -> None:
    """So does a `.env` in which every variable is left empty, with and without quotation marks."""
    unset = load_settings()
    for empty in ("", '""', "  "):
        Path(".env").write_text("\n".join(f"{name}={empty}" for name in VARIABLES), encoding="utf-8")
        settings = load_settings()
        assert settings.model_dump() == unset.model_dump()
        assert not settings.model_fields_set


def test_an_empty_variable_lets_the_file_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment wins over `.env` only where it says something."""
    Path(".env").write_text("MAX_ATTEMPTS=7\nUSE_MOCK_LLM=yes\n", encoding="utf-8")
    monkeypatch.setenv("MAX_ATTEMPTS", "")
    monkeypatch.setenv("USE_MOCK_LLM", "no")
    settings = load_settings()
    assert (settings.max_attempts, settings.use_mock_llm) == (7, False)


def test_an_empty_variable_lets_its_other_name_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compose file passes GOOGLE_API_KEY on, the deployment sets GEMINI_API_KEY."""
    monkeypatch.setenv("GOOGLE_API_KEY", "")
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    key = load_settings().google_api_key
    assert key is not None and key.get_secret_value() == "k"


@pytest.mark.parametrize("name", ["USE_MOCK_LLM", "MAX_ATTEMPTS", "GEMINI_MODEL", "NEO4J_PASSWORD", "RATE_LIMIT"])
def test_a_blank_variable_is_unset(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Blanks alone say nothing either."""
    unset = load_settings()
    monkeypatch.setenv(name, " \t")
    assert load_settings().model_dump() == unset.model_dump()


@pytest.mark.parametrize("name", ["gemini_model", "embedding_model", "neo4j_user", "rate_limit", "use_mock_llm"])
def test_an_empty_keyword_is_refused_where_there_must_be_a_value(name: str) -> None:
    """Nothing that a caller sets in Python is dropped without a word; an optional setting it unsets."""
    with pytest.raises(ConfigError, match=name.upper()):
        load_settings(**{name: ""})
    assert (
        load_settings(google_api_key="", refiner_model="", ray_address="").model_dump() == load_settings().model_dump()
    )


def test_a_prefix_may_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an empty variable cannot say, one blank does: no prefix, where the model has one of its own."""
    monkeypatch.setenv("EMBEDDING_QUERY_PREFIX", " ")
    monkeypatch.setenv("EMBEDDING_PASSAGE_PREFIX", "passage: ")
    settings = load_settings()
    assert (settings.embedding_query_prefix, settings.embedding_passage_prefix) == ("", "passage: ")
    assert load_settings(embedding_query_prefix="").embedding_query_prefix == ""


def test_blanks_around_a_value_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """But a password is kept as it was set."""
    for name, value in {"GEMINI_MODEL": " m\r", "MAX_ATTEMPTS": "4\n", "NEO4J_PASSWORD": " p "}.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.gemini_model, settings.max_attempts) == ("m", 4)
    assert settings.neo4j_password is not None and settings.neo4j_password.get_secret_value() == " p "


def test_no_variable_is_set_by_the_tests_themselves() -> None:
    """The tests above start from nothing."""
    assert not set(VARIABLES) & set(os.environ)
