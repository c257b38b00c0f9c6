"""The wheel in an environment of its own: what it holds, what it exports, and a folder of a user beside it."""

import re
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import mypy.api
import pytest

import wenmai
from tests.command_line import inherited
from tests.docs.pages import matches
from tests.fresh_install import built_wheel
from tools.language import HAN

pytestmark = pytest.mark.costly

ROOT = Path(__file__).parents[2]
PACKAGES = ("graph", "nodes", "state", "tools", "wenmai")
USER = "import graph\nimport nodes\nimport state\nimport tools\nimport wenmai\n"
EXPORTS = """
import wenmai
assert issubclass(wenmai.StoreLocked, wenmai.StoreError) and issubclass(wenmai.InputError, wenmai.WenmaiError)
assert all(getattr(wenmai, name) for name in wenmai.__all__)
print(wenmai.__version__, wenmai.__file__)
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the wheel, and an empty folder to work in."""

    python: Path
    site: Path
    folder: Path

    def run(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run Python in the empty folder, with nothing of the repository on its path."""
        own = {"HOME": str(self.folder), "DATA_DIR": "data", "TRACE_DIR": "traces", "PYTHONUTF8": "1"}
        outside: Mapping[str, str] = {name: text for name, text in inherited().items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=self.folder,
            env={**outside, **own, **more},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this repository."""
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """A fresh environment with the wheel; what it depends on is that of this environment."""
    home = wheel.parent / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    [site] = home.glob("lib/python*/site-packages")
    ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(str(Path(pytest.__file__).parents[1]) + "\n", encoding="utf-8")
    return site


@pytest.fixture
def installed(site: Path, tmp_path: Path) -> Installed:
    return Installed(site.parents[2] / "bin" / "python", site, tmp_path)


def test_what_it_holds(wheel: Path) -> None:
    """Types of every package, the whole sample, and no files of the repository's own."""
    names = ZipFile(wheel).namelist()
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    sample = {path.relative_to(ROOT / "data" / "sample") for path in (ROOT / "data" / "sample").rglob("*.*")}
    assert {f"wenmai/sample/{path.as_posix()}" for path in sample} <= set(names)
    tops = {name.partition("/")[0] for name in names}
    assert tops == {*PACKAGES, f"wenmai-{version('wenmai')}.dist-info"}


def test_its_page_is_bundled(wheel: Path) -> None:
    """PLA-143: what its documents load is in it, and nothing of the sources that became a few files."""
    page = "wenmai/web/page/"
    files = {name.removeprefix(page) for name in ZipFile(wheel).namelist() if name.startswith(page)}
    assert not [name for name in files if name.startswith(("views/", "parts/", "styles/", "api/"))]
    for document in ("index.html", "docs.html"):
        text = ZipFile(wheel).read(page + document).decode()
        named = set(re.findall(r'(?:href|src)="\{root\}/([^"]+)"', text))
        assert named and named <= files, document
    script = ZipFile(wheel).read(f"{page}app.js").decode()
    lazy = set(re.findall(r'import\("\./([^"]+)"\)', script))
    assert lazy == {f"vendor/{name}.js" for name in ("cytoscape", "dompurify", "marked")} and lazy <= files


def test_what_it_exports(installed: Installed) -> None:
    """Errors, version and the agent, from the wheel itself; the command tells the version, too."""
    done = installed.run("-c", EXPORTS)
    assert done.stdout.split() == [wenmai.__version__, str(installed.site / "wenmai" / "__init__.py")], done.stderr
    assert installed.run("-m", "wenmai", "--version").stdout == f"wenmai {wenmai.__version__}\n"


def test_a_type_checker_sees_its_types(installed: Installed) -> None:
    """Without `py.typed` it would call the packages untyped. What they import is not followed: that takes minutes."""
    program = installed.folder / "program.py"
    program.write_text(USER, encoding="utf-8")
    options = ["--strict", "--follow-imports=skip", f"--cache-dir={installed.folder / 'cache'}"]
    shown, _, code = mypy.api.run([*options, f"--python-executable={installed.python}", str(program)])
    assert code == 0, shown


@pytest.mark.parametrize("file", ["tools/__init__.py", "graph.py", "state.py", "nodes/__init__.py"])
def test_a_users_own_module_of_the_same_name(installed: Installed, file: str) -> None:
    """It is named in one line with the ways out, by the command and in a program; a folder of data is no clash."""
    (installed.folder / "tools").mkdir()
    (installed.folder / "tools" / "notes.txt").touch()
    assert installed.run("-m", "wenmai", "--version").returncode == 0
    own = installed.folder / file
    own.parent.mkdir(exist_ok=True)
    own.touch()
    done = installed.run("-m", "wenmai", "libraries")
    hidden = own.parent if own.stem == "__init__" else own
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f"{hidden.stem!r}" in done.stderr and str(hidden) in done.stderr and "python -P" in done.stderr
    program = installed.run("-c", f"import {hidden.stem}\nimport wenmai")
    assert program.stderr.splitlines()[-1].startswith("ImportError: ") and str(hidden) in program.stderr
    assert installed.run("-P", "-m", "wenmai", "--version").returncode == 0


README = {"zh": "README.zh.md", "en": "README.md"}
SPAN = re.MULTILINE | re.DOTALL
DEMO = {
    "zh": ("资料库 sample：", "理解为：冯七瞎了哪只眼睛？", "听雨轮渡", "wenmai ingest 你的小说.txt"),
    "en": (
        "Library sample_en: 9 chapters",
        "Understood as: Which of Bess Harker's hands is burnt?",
        "Understood as: When was Rooke and Daughter founded?",
        "no relevant information was found",
        "wenmai ingest your-novel.txt",
    ),
}


@pytest.mark.parametrize("language", DEMO)
def test_its_demo_runs_from_another_folder(installed: Installed, language: str) -> None:
    """PLA-136: the sample comes along: it is read and asked, in one language from the first line to the last."""
    done = installed.run("-m", "wenmai", "demo", "--language", language)
    assert done.returncode == 0, done.stderr
    assert [words for words in DEMO[language] if words not in done.stdout] == []
    assert (HAN.search(done.stdout) is None) == (language == "en")
    assert sys.prefix not in done.stdout
    page = (ROOT / README[language]).read_text(encoding="utf-8")
    [shown] = re.findall(rf"^```\n({re.escape(DEMO[language][0])}.*?)^```$", page, SPAN)
    assert matches(shown, done.stdout), done.stdout
