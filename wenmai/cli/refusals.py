"""What is wrong with a command line, in the language of the terminal."""

import re

from tools.messages import LANGUAGE

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
    for pattern, chinese in OF_PARSER if LANGUAGE.get() != "en" else ():
        message = re.sub(pattern, chinese, message)
    return message
