"""validate_config: every wrong variable at once, at start, never on import (documents.md §1)."""

import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import wenmai
from tools.errors import ConfigError
from wenmai.settings.settings import Settings, load_settings, validate_config

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / ".env.example"
TOGGLES = ("ENABLE_SEMANTIC_SEARCH_TOOL", "ENABLE_KEYWORD_SEARCH_TOOL", "ENABLE_DOCUMENT_QUERY_TOOL")


def test_defaults() -> None:
    """S004-03 S004-18: rag by default, three tools, five calls, no mock."""
    settings = load_settings(_env_file=None)
    assert (settings.use_function_calling, settings.use_mock_llm) == (False, False)
    assert [getattr(settings, name.lower()) for name in TOGGLES] == [True, True, True]
    assert (settings.max_function_calls, settings.top_k_retrieval) == (5, 5)


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("YES", True), ("1", True), ("No", False), ("0", False), (" True\r", True), (" no ", False)],
)
def test_truth_values(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    """S004-03: true, yes and 1 in any case are true; their opposites are false; blanks around them do not count."""
    for name in ("USE_FUNCTION_CALLING", "USE_MOCK_LLM", "FALLBACK_TO_RAG", TOGGLES[0]):
        monkeypatch.setenv(name, text)
    settings = load_settings(_env_file=None)
    assert (settings.use_function_calling, settings.use_mock_llm, settings.fallback_to_rag) == (value,) * 3
    assert settings.enable_semantic_search_tool is value


@pytest.mark.parametrize("value", ["0", "-3", "five", "2.5"])
def test_a_cap_that_is_no_positive_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """S004-04 S004-D13: the message of the requirement, with the value."""
    monkeypatch.setenv("MAX_FUNCTION_CALLS", value)
    with pytest.raises(ConfigError) as caught:
        validate_config(_env_file=None)
    assert str(caught.value) == f"MAX_FUNCTION_CALLS must be positive, got: {value}"


@pytest.mark.parametrize(
    ("value", "place", "rule"),
    [
        ("[]", "SEARCH_LIMITS", "List should have at least 1 item after validation, not 0"),
        ("[3,0]", "SEARCH_LIMITS.1", "Input should be greater than or equal to 1"),
        ("[21]", "SEARCH_LIMITS.0", "Input should be less than or equal to 20"),
        ("3,5", "SEARCH_LIMITS", "Input should be a valid list"),
    ],
)
def test_rows_of_attempts(monkeypatch: pytest.MonkeyPatch, value: str, place: str, rule: str) -> None:
    """S004-04: rows of search_memory are checked when the process starts, with the variable and its form."""
    monkeypatch.setenv("SEARCH_LIMITS", value)
    with pytest.raises(ConfigError) as caught:
        validate_config(_env_file=None)
    said = str(caught.value)
    assert said.startswith(f"{place}: {rule}; it is a JSON list of the rows of each attempt, each 1 to 20, such as")
    assert "got: " in said and "\n" not in said


def test_every_error_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """S004-04 S004-D13 S004-D07: cap, unreadable boolean, rows out of range and toggles, in one message."""
    wrong = {"MAX_FUNCTION_CALLS": "0", "USE_MOCK_LLM": "maybe", "TOP_K_RETRIEVAL": "21"}
    for name, value in {**wrong, "USE_FUNCTION_CALLING": "true", **dict.fromkeys(TOGGLES, "false")}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        validate_config(_env_file=None)
    said = str(caught.value)
    assert "MAX_FUNCTION_CALLS must be positive, got: 0" in said
    assert "USE_MOCK_LLM: must be one of true, yes, 1, false, no, 0, got: 'maybe'" in said
    assert "TOP_K_RETRIEVAL" in said and "'21'" in said
    assert all(name in said for name in TOGGLES)


def test_toggles_matter_in_agent_mode_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """S004-D07: without USE_FUNCTION_CALLING, or with one tool, all is well."""
    for name in TOGGLES:
        monkeypatch.setenv(name, "false")
    assert not validate_config(_env_file=None).enable_document_query_tool
    monkeypatch.setenv("USE_FUNCTION_CALLING", "yes")
    monkeypatch.setenv("ENABLE_KEYWORD_SEARCH_TOOL", "yes")
    assert validate_config(_env_file=None).enable_keyword_search_tool


def test_contradictions_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """S004-D06: a mock beside a key, and beside function calling; alone it is no contradiction."""
    with caplog.at_level(logging.WARNING, "wenmai.settings.settings"):
        validate_config(_env_file=None, use_mock_llm=True)
        assert not caplog.records
        validate_config(_env_file=None, use_mock_llm=True, google_api_key="secret-key", use_function_calling=True)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2 and all(text.startswith("USE_MOCK_LLM=true") for text in said)
    assert "secret-key" not in "".join(said)


async def test_the_mock_answers_whatever_key_there_is(tmp_path: Path) -> None:
    """S004-18: USE_MOCK_LLM=true with a key is the offline mind, with the offline mind's limits."""
    overrides: dict[str, Any] = {"google_api_key": "k", "data_dir": tmp_path, "trace_dir": tmp_path / "traces"}
    async with wenmai.open_agent(_env_file=None, use_mock_llm=True, **overrides) as agent:
        assert agent.services.assembly.mind.name == "offline"
        assert agent.services.settings.policy().search_limits == (10, 10, 10)
    async with wenmai.open_agent(_env_file=None, **overrides) as agent:
        assert agent.services.assembly.mind.name == "gemini"


async def test_an_agent_does_not_open_on_a_wrong_configuration() -> None:
    """S004-04: it is checked at start."""
    with pytest.raises(ConfigError, match="MAX_FUNCTION_CALLS must be positive, got: 0"):
        async with wenmai.open_agent(max_function_calls=0):
            pass


def test_nothing_is_checked_on_import() -> None:
    """S004-04 PLA-09: importing with a wrong environment works."""
    environment = {"MAX_FUNCTION_CALLS": "0", "PYTHONPATH": str(ROOT), "PATH": ""}
    code = "import wenmai, wenmai.settings.settings, graph.agent"
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_example_file_has_the_defaults() -> None:
    """S004-05: the modes' variables have a comment each; what is set is a setting, at its default."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    for name in ("USE_FUNCTION_CALLING", "MAX_FUNCTION_CALLS", *TOGGLES):
        [at] = [n for n, line in enumerate(lines) if line.startswith(f"{name}=")]
        assert lines[at - 1].startswith("# "), name
    set_here = {line.partition("=")[0].lower() for line in lines if re.match(r"[A-Z]", line)}
    assert set_here <= set(Settings.model_fields)
    assert load_settings(_env_file=EXAMPLE).model_dump() == load_settings(_env_file=None).model_dump()


def test_the_example_file_names_the_defaults_of_the_modes() -> None:
    """S004-05: its comments say `Default:` with the value of the line that follows."""
    text = EXAMPLE.read_text(encoding="utf-8")
    said = re.findall(r"^# Default: (\w+).*\n([A-Z_]+)=(.*)$", text, re.MULTILINE)
    assert {name for _, name, _ in said} >= {"USE_FUNCTION_CALLING", "MAX_FUNCTION_CALLS"}
    assert all(default == value for default, _, value in said)
