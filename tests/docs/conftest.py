"""A folder as a reader of the documentation has it after `make demo`."""

import json
import os
from pathlib import Path

import pytest
from filelock import FileLock

from tests.command_line import own_log
from tests.gemini.fixtures import gemini, gemini_server
from tests.temporary import copied
from wenmai.app.sample import SAMPLES
from wenmai.cli.app import run
from wenmai.cli.commands.demo import import_sample

__all__ = ["gemini", "gemini_server"]

ROOT = Path(__file__).parents[2]
WORKER = "PYTEST_XDIST_WORKER"  # set by pytest-xdist; folders of all workers lie in one
SAMPLE = ROOT / "data" / "sample"
HANDBOOK = (
    "# 员工手册\n\n## 报销\n\n差旅报销须在三十天内提交发票，审批编号以 FIN-2071 开头。\n\n## 休假\n\n年假十五天。\n"
)
SONGS = {"晚风": [["晚风", "演唱", "林溪"], ["晚风", "发行", "1998"]], "林溪": [["林溪", "代表作品", "晚风"]]}


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the data folder that `wenmai demo` leaves behind; the workers of a run make it once."""
    own = tmp_path_factory.mktemp("demo")
    everybodys = own.parent.parent if WORKER in os.environ else own.parent
    with FileLock(everybodys / "demo.lock"):
        made = everybodys / "made_by_demo"
        if not made.exists():
            prepared(everybodys / "being_made").rename(made)
    copied(made / "data", own / "data")
    return own / "data"


def prepared(folder: Path) -> Path:
    """Ingest the samples as `wenmai demo` does, below a folder; return the folder."""
    with pytest.MonkeyPatch.context() as patch, own_log():
        patch.setenv("DATA_DIR", str(folder / "data"))
        for language, sample in SAMPLES.items():
            graph = [str(SAMPLE / name) for name in sample.graph]
            ingest = ["ingest", str(SAMPLE / sample.story), "--library", sample.library, "--title", sample.title]
            assert run([*ingest, "--aliases", str(SAMPLE / sample.aliases), "--graph", *graph]) == 0
            import_sample(language)
    return folder


@pytest.fixture
def reader(demo_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a copy of that data and the files that the pages name; return it."""
    copied(demo_data, tmp_path / ".wenmai")
    (tmp_path / "data").symlink_to(ROOT / "data")
    (tmp_path / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (tmp_path / "songs.json").write_text(json.dumps(SONGS, ensure_ascii=False), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path
