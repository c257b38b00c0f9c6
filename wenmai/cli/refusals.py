"""What is wrong with a command line, in the language of the terminal."""

import re

from tools.wording import SPOKEN, Words

NO_SOURCE = Words(
    "请用 --library 指定资料库，用 --network 指定知识网络，或用 --toolkits documents、--toolkits memory 只问文档或记忆",
    "name a library by --library or a network by --network, or ask documents or memories alone by "
    "--toolkits documents or --toolkits memory",
)
PART_ALONE = Words(
    "--as-of-part 需要与 --as-of-chapter 一起使用，单独使用不会遮住任何内容",
    "--as-of-part needs --as-of-chapter: alone it hides nothing",
)
NO_PLACE = Words(
    "--as-of-chapter 不能小于 0，--as-of-part 不能小于 1",
    "--as-of-chapter is at least 0, --as-of-part at least 1",
)
WHOSE_CHAPTER = Words(
    "--as-of-chapter 需要用 --library 指明是哪个资料库的章节",
    "--as-of-chapter needs --library: of which library is the chapter?",
)
NO_LIBRARY = Words(
    "请用 --library 指定资料库；只看分章用 --preview", "name a library by --library; --preview shows the chapters alone"
)
PREVIEW_ONLY = Words("--save-headings 只用于 --preview", "--save-headings goes with --preview alone")
RAY_ONLY = Words("--workers 只用于 --engine ray", "--workers goes with --engine ray alone")
WHOLE_BOOK = Words(
    "--save-headings 和 --estimate 说的是全书，不能与 --as-of-chapter 一起使用",
    "--save-headings and --estimate tell of the whole book: leave --as-of-chapter out",
)
ONE_OF_CHAPTERS = Words("--chapters 和 --headings 请只给一个", "give --chapters or --headings, not both")
EVERYTHING_ALONE = Words(
    "--everything 把整个资料库和会话、轨迹一起删除，不能与 --source 或 --abandoned 一起使用",
    "--everything deletes the whole library with its threads and traces: leave --source and --abandoned out",
)
ABANDONED_ALONE = Words(
    "--abandoned 清除整个资料库，不能与 --source 一起使用", "--abandoned clears the whole library: leave --source out"
)
NO_KIND = Words("没有 {kind} 这一类，可选：{kinds}", "there is no kind {kind}, but {kinds}")
SEARCH_MODE = Words(
    "--mode 必须是 recall、semantic、keyword 或 hybrid，收到 {mode}",
    "--mode is recall, semantic, keyword or hybrid, not {mode}",
)
NO_FILES = Words("没有这个文件：{files}", "there is no file {files}")
WHICH_DOCUMENTS = Words(
    "请给出要删除的文件名或 id，或用 --all 删除全部", "name the files or ids to remove, or remove all by --all"
)
WHOSE_DOCUMENTS = Words(
    "请用 --session 指定会话，或用 --preloaded 指定预置文档，二者选一",
    "name a session by --session or the preloaded documents by --preloaded, one of both",
)
NO_QUESTIONS = Words(
    "请用 --questions 或 --sessions 给出{what}的问题（JSONL）",
    "give questions to {what} by --questions or --sessions (JSON lines)",
)
OF_NETWORK = Words("知识网络 {name} ", "network {name}")
OF_LIBRARY = Words("资料库 {name} ", "library {name}")
NO_MODEL = Words(
    "--mind {mind} 需要 GOOGLE_API_KEY（或 GEMINI_API_KEY）、OPENAI_API_KEY 或 OPENAI_BASE_URL："
    "请设置它，或用 --mind offline",
    "--mind {mind} needs GOOGLE_API_KEY (or GEMINI_API_KEY), OPENAI_API_KEY or OPENAI_BASE_URL: set one, or use "
    "--mind offline",
)
NO_UPLOAD = Words(
    "--upload 需要 LANGSMITH_API_KEY：请设置它，或去掉 --upload 在本机评测",
    "--upload needs LANGSMITH_API_KEY: set it, or leave --upload out to measure here",
)
CANCELLED = Words("已取消", "cancelled")
OF_CATALOG = Words("{error}（那个登记库：{place}）", "{error} (that catalog: {place})")
FILES = Words(
    "文件操作失败（{error}）：请检查路径、权限和磁盘空间",
    "a file could not be used ({error}): check path, rights, space",
)
FAULT = Words(
    "内部错误（{kind}: {error}）：设置 LOG_LEVEL=DEBUG 重试可查看详情",
    "internal error ({kind}: {error}): LOG_LEVEL=DEBUG shows more",
)
OF_PARSER = (
    (r"^Invalid value for (.+?): ", r"\1 的值不对："),
    (r"^Invalid value: ", "值不对："),
    (r"^Missing argument (.+?)\.", r"缺少参数 \1。"),
    (r"^Missing option (.+?)\.", r"缺少选项 \1。"),
    (r"^No such option: (\S+)", r"没有选项 \1"),
    (r"^No such command (.+?)\.", r"没有命令 \1。"),
    (r"^Got unexpected extra arguments? \((.+)\)", r"多余的参数：\1"),
    (r"^Option (.+?) requires (?:an argument|\d+ arguments)\.?", r"选项 \1 需要一个值"),
    (r"Did you mean (.+?)\?", r"是不是 \1？"),
    (r"\(Possible options: (.+)\)", r"（可选：\1）"),
    (r"Input should be a valid integer.*|(\S+) is not a valid int(?:eger)?( range)?\.?", "应为整数"),
    (r"Input should be a valid number.*|(\S+) is not a valid float( range)?\.?", "应为数字"),
    (r"(?:File|Path|Directory) (.+?) does not exist\.", r"\1 不存在"),
)
"""The parser's own messages, which are English, in Chinese."""


def of_parser(message: str) -> str:
    for pattern, chinese in OF_PARSER if SPOKEN.get() != "en" else ():
        message = re.sub(pattern, chinese, message)
    return message
