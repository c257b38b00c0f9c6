"""Generic terms for a person, which mean another person in the next chapter.

Titles with which a story may mean one person throughout (船长, 会长) are not among them: an alias that several people
bear is no merge anyway.
"""

import re

from wenmai.language.lexicon import words

RELATIVE = frozenset(
    words("""
    父亲 母亲 爸爸 妈妈 爹爹 爹 娘 娘亲 爹娘 父母 儿子 女儿 孩子 孩儿 哥哥 弟弟 姐姐 妹妹 兄弟 姐妹 兄长 大哥 二哥
    大姐 嫂子 大嫂 丈夫 妻子 夫君 娘子 相公 媳妇 爷爷 奶奶 外公 外婆 祖父 祖母 叔叔 伯伯 舅舅 姑姑 姑妈 姨妈 婶婶
    侄儿 侄女 孙子 孙女 师父 师傅 师尊 徒弟 徒儿 弟子 师兄 师弟 师姐 师妹 师娘 老师 学生 主人 朋友 同伴 恩人 仇人
    father mother dad mum mom brother sister son daughter husband wife uncle aunt grandfather grandmother cousin nephew
    niece master teacher pupil friend sir madam
    """)
)
"""Kinship terms and roles: their meaning depends on the speaker, so they are never a name."""
DESCRIPTIVE = frozenset(
    words("""
    老人 老人家 老者 老头 老头子 老头儿 老汉 老太太 老婆婆 老妇人 少年 少女 姑娘 小姑娘 女孩 男孩 小女孩 小男孩 小孩
    小孩子 女人 男人 女子 男子 妇人 青年 年轻人 中年人 陌生人 客人 汉子 大汉 书生 先生 和尚 道士 丫鬟 丫头 仆人 侍女
    士兵 守卫 船夫 水手 店家 掌柜 伙计
    man woman boy girl child stranger soldier sailor servant guard gentleman lady youth
    oldman oldwoman youngman youngwoman littleboy littlegirl
    """)
)
"""A story may use one for a person throughout: a name where it is the only one, never an alias."""
_ARTICLE = re.compile(r"^(?:the|a|an|my|your|his|her|our|their|我|你|他|她|这个|那个|这位|那位)的?\s*", re.IGNORECASE)


def bare_form(spelling: str) -> str:
    """Return a spelling without article, owner and blanks, in lower case."""
    return "".join(_ARTICLE.sub("", spelling.strip()).casefold().split())


def proper_names(spellings: list[str]) -> list[str]:
    """Return the spellings that are names; a description counts where it is the only spelling."""
    named = [one for one in spellings if bare_form(one) not in RELATIVE and bare_form(one) not in DESCRIPTIVE]
    if named or not spellings:
        return named
    return [] if bare_form(spellings[0]) in RELATIVE else spellings[:1]
