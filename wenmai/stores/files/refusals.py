"""What stores refuse, in both languages; texts that several stores say stand here once."""

from dataclasses import dataclass
from pathlib import Path

from tools.wording import Message, Words

BAD_NAME = Words(
    "资料库名称只能由字母、数字、汉字、- 和 _ 组成（1 到 64 个），收到 {name!r}",
    "a library's name has letters, digits, Chinese characters, - and _ (1 to 64 of them), got {name!r}",
)
NO_SPACE = Words(
    "磁盘空间不足，写入 {folder} 至少需要 {megabytes} MB：请腾出空间后重试",
    "the disk is too full: writing {folder} needs at least {megabytes} MB; make room, then try again",
)
FULL = Words(
    "磁盘空间已满，无法写入 {path}：请腾出空间后重试",
    "the disk is full, {path} cannot be written: make room, then try again",
)
LONE = Words(
    "文本含有不成对的代理字符，无法查询或保存：请检查输入的编码",
    "the text has lone surrogates and cannot be searched or kept: check the encoding of the input",
)
NO_MEMORY = Words(
    "内存不足，无法处理 {path}（{reason}）：请减小批量后重试",
    "there is not enough memory for {path} ({reason}): try again with smaller batches",
)
NO_ACCESS = Words(
    "无法打开 {path}（{reason}）：请检查文件和文件夹的权限、磁盘是否可写，以及本进程可以打开的文件数，然后重试",
    "{path} cannot be opened ({reason}): look at the permissions of files and folders, at whether the disk can be "
    "written, and at how many files the process may open, then try again",
)
UNREADABLE = Words("无法读取 {path}（{reason}）：{restore}", "{path} cannot be read ({reason}): {restore}")
NO_LIBRARY = Words(
    "没有名为 {library} 的资料库：请先用 wenmai ingest 建立，或用 wenmai libraries 查看",
    "there is no library {library}: make it by wenmai ingest, or look at wenmai libraries",
)
GONE = Words("资料库 {library} 刚刚被删除", "library {library} has just been deleted")
BUSY = Words(
    "资料库 {library} 正被另一个进程修改：请等它结束后重试",
    "library {library} is being changed by another process: try again when that is done",
)
HELD = Words(
    "{name} 正被{who}使用：请等它结束，或先停止它", "{name} is used by {who}: wait for its end, or stop it first"
)
HELD_HERE = Words(
    "{name} 已由本进程（{pid}）的另一个 Agent 打开：请共用那一个，或先关闭它",
    "{name} is open in another Agent of this process ({pid}): share that one, or close it first",
)
NOT_MADE = Words(
    "资料库 {library} 尚未建成：请先用 wenmai ingest 建立",
    "library {library} is not made yet: make it by wenmai ingest",
)
NO_DIRECTORY = Words(
    "无法在 {data_dir} 建立{name}（{reason}）：请把 DATA_DIR 设为一个可写的文件夹",
    "{name} cannot be made in {data_dir} ({reason}): set DATA_DIR to a folder that can be written",
)
PROCESS = Words("进程 {pid}（{command}，始于 {started}）", "process {pid} ({command}, since {started})")
ANOTHER = Words("另一个进程", "another process")


@dataclass(frozen=True, slots=True)
class Content:
    """What a folder holds, as errors name it, and how to restore lost files; both may name the `{folder}`."""

    name: Words
    restore: Words

    def named(self, folder: Path) -> Message:
        return self.name.of(folder=folder.name)


LIBRARY = Content(
    name=Words("资料库 {folder}", "library {folder}"),
    restore=Words(
        "请删除资料库 {folder} 后重新导入（wenmai delete、wenmai ingest）",
        "delete library {folder} and take its texts in again (wenmai delete, wenmai ingest)",
    ),
)
