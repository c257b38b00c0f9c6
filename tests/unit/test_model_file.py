"""The model service that was chosen without variables: what is read, what wins, and what is kept of a key."""

import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from tools.errors import ConfigError
from wenmai.minds.choice import endpoint_of, role_models
from wenmai.settings.model_file import MODEL_FILE, ModelService, read_service, write_service
from wenmai.settings.settings import Settings, load_settings

KEY, OTHER = "sk-chosen-key-0123456789", "sk-environment-9876543210"
PLACE, ELSEWHERE = "http://127.0.0.1:9/v1", "https://api.example.org/v1"
CHOSEN = ModelService(provider="openai", base_url=PLACE, model="qwen", key=SecretStr(KEY))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_service(tmp_path, CHOSEN)
    return tmp_path


def where(settings: Settings) -> tuple[str, str | None, str]:
    """Return the model that answers, its address and the key that goes there."""
    endpoint = endpoint_of(settings)
    return role_models(settings).agent.id, endpoint.base_url, endpoint.key


def test_the_file_is_its_owners(folder: Path) -> None:
    """PLA-142: no other user of the machine reads it; what was written is read."""
    assert stat.S_IMODE((folder / MODEL_FILE).stat().st_mode) == 0o600
    assert read_service(folder) == CHOSEN and KEY not in repr(read_service(folder))
    write_service(folder, None)
    assert read_service(folder) is None and not list(folder.iterdir())


def test_what_was_chosen_answers(folder: Path) -> None:
    """PLA-142: for every command and process on the folder, unless the operator says that it is not read."""
    assert where(load_settings(data_dir=folder)) == ("qwen", PLACE, KEY)
    assert load_settings(data_dir=folder).environment.provider is None
    assert load_settings(data_dir=folder, model_by_admin=False).provider is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"OPENAI_API_KEY": OTHER}, ("qwen", None, OTHER)),
        ({"OPENAI_API_KEY": OTHER, "OPENAI_MODEL": "gpt"}, ("gpt", None, OTHER)),
        ({"OPENAI_BASE_URL": ELSEWHERE, "OPENAI_MODEL": "m"}, ("m", ELSEWHERE, "")),
        ({"GOOGLE_API_KEY": OTHER}, ("gemini-3.8-flash", None, OTHER)),
        ({"OPENAI_MODEL": "gpt"}, ("gpt", PLACE, KEY)),
    ],
)
def test_the_environment_wins(
    folder: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: tuple[str, str | None, str]
) -> None:
    """PLA-142: a key of the one never goes to an address of the other; a model alone may be chosen beside a key."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = load_settings(data_dir=folder, _env_file=None)
    assert where(settings) == expected
    named = {name for one in settings.service_variables for name in one.split("/")}
    assert named == {*environment} - {"OPENAI_MODEL"} | (
        {"GEMINI_API_KEY"} if "GOOGLE_API_KEY" in environment else set()
    )
    assert settings.model_variables("openai") == (["OPENAI_MODEL"] if "OPENAI_MODEL" in environment else [])


def test_without_a_model_of_its_own_a_mock_stays(folder: Path) -> None:
    settings = load_settings(data_dir=folder, use_mock_llm=True)
    assert not settings.asks_model and settings.service_variables == ["USE_MOCK_LLM"]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("{", "（必须是 JSON）"),
        ('{"provider": "other", "key": "sk-chosen-key-0123456789"}', "provider: 只能是"),
        ('{"providers": 1}', "provider: 缺少这个字段"),
    ],
)
def test_a_spoilt_file_is_named(tmp_path: Path, text: str, reason: str) -> None:
    """PLA-142: in one line, in the caller's language, without what is in it."""
    (tmp_path / MODEL_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=MODEL_FILE) as caught:
        load_settings(data_dir=tmp_path)
    assert reason in str(caught.value) and KEY not in str(caught.value) and "\n" not in str(caught.value)
