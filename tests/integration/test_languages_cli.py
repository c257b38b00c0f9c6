"""What each command says is in the language of the terminal: refusals, receipts, tables."""

from pathlib import Path

import pytest

from state.context import Language
from tests.integration.cli_story import STORY, Cli
from tools.messages import Message, speaking
from wenmai.app.container import Services
from wenmai.settings.settings import Settings
from wenmai.web.application import prepare

ODD = STORY.replace("第三章 大水", "第五章 大水\n\n大水来了。\n\n第五章 退水")
SAID = {
    ("trace", "latest"): ("中还没有轨迹", "No traces in"),
    ("trace", "x"): ("没有轨迹 x", "there is no trace x"),
    ("trace", "--thread", "x"): ("没有会话 x 的轨迹", "has no traces of conversation x"),
    ("reembed",): ("请指定 -l 资料库", "give -l LIBRARY"),
    ("reembed", "-l", "x"): ("没有可以重新嵌入的 -l x", "there is nothing to re-embed called -l x"),
    ("keys", "list"): ("还没有密钥", "There are no keys yet"),
    ("keys", "add", "-u", "a", "--permission", "x"): ("没有权限 'x'", "there is no permission 'x'"),
    ("keys", "revoke", "x"): ("没有编号为 x 的密钥", "there is no key x"),
    ("experiment", "--network", "x"): ("给出知识网络 x 的问题", "give questions for network x"),
    ("experiment", "--mind", "model"): ("--mind model 需要", "--mind model needs"),
    ("migrate", "--to", "server"): ("请给出资料库名称", "give a library, or"),
    ("migrate", "x", "--to", "server"): ("没有设置服务器", "no server is set"),
    ("delete", "x"): ("没有名为 x 的资料库", "there is no library x"),
    ("delete", "a/b"): ("资料库名称只能由", "a library name may only contain letters"),
    ("delete", "x", "--abandoned"): (
        "服务器上没有属于其他资料库目录的资料库 x",
        "no server has a library x that belongs to another catalog",
    ),
    ("entities", "merge", "a", "b", "-l", "x"): ("没有名为 x 的资料库", "there is no library x"),
    ("memory", "list"): ("未找到相关记忆", "No memories were found"),
    ("memory", "import", "odd.txt"): ("不是 JSON", "is not JSON"),
    ("knowledge", "list"): ("还没有知识网络", "No knowledge networks yet"),
    ("knowledge", "import", "odd.txt"): ("请给出含", "give a folder with"),
    ("docs", "add", "empty.txt", "--session", "s"): ("文件是空的", "the file is empty"),
    ("ingest", "empty.txt", "-l", "x"): (
        "无法导入 empty.txt：文件是空的",
        "empty.txt cannot be ingested: the file is empty",
    ),
    ("ingest", "odd.txt", "--preview"): ("第五章 退水”：第 5 章重复出现", '第五章 退水": chapter 5 occurs again'),
    ("ingest", "odd.txt", "--preview", "--chapters", "("): ("不是有效的正则表达式", "not a valid regular expression"),
    ("backup", "odd.txt"): ("已经存在", "already exists"),
    ("restore", "odd.txt"): ("不是空的，备份只能恢复到空文件夹", "is not empty, and a backup is only restored"),
}


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    folder = tmp_path_factory.mktemp("languages")
    (folder / "odd.txt").write_text(ODD, encoding="utf-8")
    (folder / "empty.txt").touch()
    return Cli(folder)


@pytest.mark.parametrize("words", SAID, ids=" ".join)
@pytest.mark.parametrize("locale", ["zh_CN.UTF-8", "en_US.UTF-8"])
def test_the_language_of_the_terminal(cli: Cli, locale: str, words: tuple[str, ...]) -> None:
    chinese, english = SAID[words]
    done = cli.run(*words, LANG=locale)
    said, other = (chinese, english) if locale.startswith("zh") else (english, chinese)
    assert said in done.stdout + done.stderr
    assert other not in done.stdout + done.stderr


def test_a_receipt(cli: Cli, tmp_path: Path) -> None:
    """What a command did is told in the language of the terminal, too."""
    assert "Stored as " in cli.run("memory", "add", "风停即返", LANG="en_US.UTF-8").stdout
    made = cli.run("keys", "add", "-u", "林", LANG="en_US.UTF-8")
    assert "(user 林); it is shown only once" in made.stderr
    listed = cli.run("keys", "list", LANG="en_US.UTF-8").stdout
    assert "purpose" in listed and "valid" in listed and "有效" not in listed
    checked = cli.run("doctor", LANG="en_US.UTF-8").stdout
    assert "is writable" in checked and " dimensions" in checked and "：" not in checked


@pytest.mark.parametrize(("language", "said"), [("zh", "没有 API 密钥"), ("en", "There are no API keys")])
async def test_a_server_without_keys_warns(
    language: Language, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In the language of the terminal that started it, which `wenmai` sets for all that a command does."""
    services = Services(Settings(data_dir=tmp_path))
    with speaking(language):
        await prepare(services, Message("server.open_to_this_machine"))
    await services.close()
    assert said in caplog.text
