"""`wenmai knowledge`, from import to deletion."""

import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.integration.cli_story import Cli
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import KnowledgeFolders, import_content

CLINIC = Path(__file__).parents[1] / "ontology_service" / "data" / "clinic"
SONGS = {
    "夜曲": [["夜曲", "歌手", "周杰伦"], ["夜曲", "时长", "3分46秒"]],
    "周杰伦": [["周杰伦", "职业", "歌手"], ["周杰伦", "代表作品", "夜曲"], ["周杰伦", "代表作品", "七里香"]],
}


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A folder without any network."""
    return Cli(tmp_path)


def said(cli: Cli, *arguments: str, code: int = 0) -> str:
    done = cli.run("knowledge", *arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stdout + done.stderr


def files(folder: Path) -> dict[str, int]:
    """Return every file with the time of its last change."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_from_import_to_deletion(cli: Cli) -> None:
    """KNO-09 KNO-33: what is imported is shown, exported, read back and deleted with a receipt."""
    assert "还没有知识网络" in said(cli, "list")
    assert "25 个实例，24 条关系" in said(cli, "import", str(CLINIC))
    assert "诊所" in said(cli, "list")
    assert "disease_english_name" in said(cli, "schema", "clinic")
    shown = said(cli, "show", "clinic", "上、下气道梗阻").splitlines()
    assert shown[0] == "上、下气道梗阻（疾病）"
    assert "  患病率：0.05%" in shown
    assert [line for line in shown if "→" in line] == [
        f"  → 疾病症状 {name}" for name in ("呼吸困难", "咳嗽", "喘鸣", "紫绀", "烦躁不安")
    ]
    assert "上、下气道梗阻（疾病）" in said(cli, "show", "clinic", "气道梗阻")
    assert "未找到匹配的实例" in said(cli, "show", "clinic", "鼠疫")
    said(cli, "export", "clinic", "out")
    assert "不是空的" in said(cli, "export", "clinic", "out", code=2)
    assert "25 个实例，24 条关系" in said(cli, "import", "out", "--network", "copy")
    receipt = said(cli, "delete", "clinic", "--yes")
    assert [line.strip() for line in receipt.splitlines()[1:]] == ["对象类型：5", "关系类型：4", "实例：25", "关系：24"]
    for command in (("show", "clinic", "肺炎"), ("schema", "clinic"), ("delete", "clinic", "--yes")):
        assert "没有名为 clinic 的知识网络" in said(cli, *command, code=2)
    assert not (cli.folder / ".wenmai" / ".knowledge" / "clinic").exists()
    assert "上、下气道梗阻（疾病）" in said(cli, "show", "copy", "上、下气道梗阻")


def test_unchanged_content_is_not_written(cli: Cli) -> None:
    """A second import of the same content changes no file; an edited one replaces it as a whole."""
    shutil.copytree(CLINIC, cli.folder / "edited")
    said(cli, "import", "edited")
    store = cli.folder / ".wenmai" / ".knowledge" / "clinic"
    before = files(store)
    assert "没有变化，未写入" in said(cli, "import", "edited")
    assert files(store) == before
    symptoms = cli.folder / "edited" / "symptom.csv"
    symptoms.write_text(symptoms.read_text(encoding="utf-8") + "symptom_99,头晕,\n", encoding="utf-8")
    assert "已导入" in said(cli, "import", "edited")
    assert "头晕（症状）" in said(cli, "show", "clinic", "头晕")
    assert len([path for path in store.iterdir() if path.is_dir()]) == 1


def test_triples(cli: Cli) -> None:
    """Types, properties and relations are inferred, written out once, and can be edited and imported again."""
    (cli.folder / "kb.json").write_text(json.dumps(SONGS, ensure_ascii=False), encoding="utf-8")
    assert "--network" in said(cli, "import", "kb.json", code=2)
    assert "1 个对象类型，2 个关系类型，2 个实例，2 条关系" in said(cli, "import", "kb.json", "--network", "songs")
    shown = said(cli, "show", "songs", "周杰伦").splitlines()
    assert "  代表作品：七里香" in shown
    assert "  → 代表作品 夜曲" in shown
    assert "  ← 歌手 夜曲" in shown
    schema = cli.folder / "songs" / "network.yaml"
    schema.write_text(schema.read_text(encoding="utf-8").replace("name: 实体", "name: 歌曲与歌手"), encoding="utf-8")
    assert "已存在" in said(cli, "import", "kb.json", "--network", "songs")
    assert "歌曲与歌手" in schema.read_text(encoding="utf-8")
    said(cli, "import", "songs")
    assert "周杰伦（歌曲与歌手）" in said(cli, "show", "songs", "周杰伦")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.txt", "x", "YAML"),
        ("a.json", "[1]", "应为"),
        ("a.json", '{"甲": [["甲", "乙"]]}', "三个文本"),
        ("a.json", "{", "不是有效的 JSON"),
        ("a.yaml", "id: [", "不是有效的 YAML"),
        ("a.yaml", "id: Big\nobject_types: []", "object_types: "),
        ("a.yaml", "just text", "有误"),
    ],
)
def test_bad_files(cli: Cli, name: str, text: str, told: str) -> None:
    """KNO-10: a file that is no network is one clear line, and leaves nothing behind."""
    (cli.folder / name).write_text(text, encoding="utf-8")
    answer = said(cli, "import", name, "--network", "bad", code=2)
    assert told in answer
    assert len(answer.strip().splitlines()) == 1
    assert not (cli.folder / ".wenmai").exists()


def test_bad_ids(cli: Cli) -> None:
    """KNO-10: an id with other characters is refused with the rule."""
    for id in ("Big", "-x", "a" * 41, "中文", "../x", "a b"):
        assert "40" in said(cli, "import", str(CLINIC), f"--network={id}", code=2)


def test_a_killed_import_leaves_nothing(cli: Cli) -> None:
    """An import that is killed changes nothing that is seen; the next one builds the whole network."""
    said(cli, "import", str(CLINIC), "--network", "kb")
    triples = {f"头{n}": [[f"头{n}", f"关系{k}", f"头{(n * 7 + k) % 3000}"] for k in range(20)] for n in range(3000)}
    (cli.folder / "kb.json").write_text(json.dumps(triples, ensure_ascii=False), encoding="utf-8")
    process = cli.start("knowledge", "import", "kb.json", "--network", "kb")
    building = cli.folder / ".wenmai" / ".knowledge" / "kb" / ".building"
    end = time.monotonic() + 60
    while not (building / "network.sqlite").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert building.exists()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert "上、下气道梗阻（疾病）" in said(cli, "show", "kb", "上、下气道梗阻")
    assert "3000 个实例" in said(cli, "import", "kb.json", "--network", "kb")
    assert "头7（实体）" in said(cli, "show", "kb", "头7", "--limit", "1")
    assert not building.exists()


def test_two_imports_at_once(cli: Cli) -> None:
    """Who comes while a network is being changed gets one clear line."""
    said(cli, "import", str(CLINIC))
    folders = KnowledgeFolders(cli.folder / ".wenmai")
    with folders.changing("clinic"):
        assert "正被另一个进程导入或删除" in said(cli, "delete", "clinic", "--yes", code=1)
        assert "上、下气道梗阻" in said(cli, "show", "clinic", "上、下气道梗阻")
    content = read_network(CLINIC, "other")
    assert import_content(folders, content, lambda done, total: None).written
