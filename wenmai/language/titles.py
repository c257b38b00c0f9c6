"""Titles, honorifics and kinship words that stand with a name, and the gender that they tell."""

from typing import Literal

from wenmai.language.lexicon import words

Gender = Literal["", "f", "m"]
CHINESE_FEMALE = words("""
    太太 小姐 夫人 女士 姑娘 大嫂 嫂子 嫂 婶子 婶 大姐 姐姐 姐 妹妹 妹 妈妈 妈 奶奶 婆婆 婆 阿姨 姨娘 姨妈 姨 大娘
    娘娘 娘 公主 王妃 皇后 贵妃 师太 老太太 太君 大妈 姑妈 姑姑 姑 女王 嬷嬷 修女 女侠 仙子
    """)
CHINESE_MALE = words("""
    先生 大哥 哥哥 哥 弟弟 弟 大叔 叔叔 叔公 叔 伯伯 大伯 伯 爷爷 爷 大爷 老爷 少爷 公子 员外 舅舅 舅 爵士 神父 相公
    太监 公公 和尚 王爷 大师 国王 王子 太子 驸马 侠 老头 老汉
    """)
CHINESE_NEUTRAL = words("""
    师傅 师父 师兄 师姐 师弟 师妹 师叔 师尊 掌柜 老板 队长 队 处长 局长 院长 主任 医生 大夫 老师 教授 警官 警长 经理
    总 工 董 科长 所长 校长 书记 镇长 村长 厂长 站长 会长 社长 县长 市长 部长 班长 连长 营长 团长 排长 司令 参谋 县令
    知县 知府 知州 大人 将军 都督 太守 丞相 尚书 侍郎 侍卫 御史 巡抚 总督 提督 道长 道人 真人 长老 尊者 掌门 帮主 堂主
    监生 秀才 举人 翰林 学道 司业 相国 专员 博士 船长 上尉 中尉 少尉 上校 中校 少校 上将 少将 中士 下士 伯爵 公爵 侯爵
    男爵 子爵 法官 律师 记者 秘书 管家 护士 教练 导演 编辑 同志 同学 前辈 大王 大仙 菩萨 陛下 殿下
    """)
CHINESE_PREFIXES = "老小阿大"
ENGLISH_FEMALE = frozenset(
    words("mrs miss ms madam madame lady dame aunt auntie sister queen princess duchess countess baroness")
)
ENGLISH_MALE = frozenset(words("mr master sir lord uncle brother father king prince duke count baron earl monsieur"))
ENGLISH_NEUTRAL = frozenset(
    words("""
    dr doctor professor captain capt colonel col major general lieutenant sergeant corporal inspector detective
    constable judge reverend rev president senator governor old young little poor dear cousin
    the von van de da di del la le of
    """)
)
_BY_LENGTH = sorted(
    [(word, "f") for word in CHINESE_FEMALE]
    + [(word, "m") for word in CHINESE_MALE]
    + [(word, "") for word in CHINESE_NEUTRAL],
    key=lambda row: -len(row[0]),
)


def without_title(name: str) -> tuple[str, str, Gender]:
    """Return a Chinese name without the title behind it, the title, and the gender that it tells."""
    for title, gender in _BY_LENGTH:
        if name.endswith(title) and len(name) > len(title):
            return name[: -len(title)], title, "m" if gender == "m" else "f" if gender == "f" else ""
    return name, "", ""


def english_gender(title: str) -> Gender:
    """Return the gender that an English title tells."""
    word = title.lower().rstrip(".")
    return "f" if word in ENGLISH_FEMALE else "m" if word in ENGLISH_MALE else ""


def is_english_title(word: str) -> bool:
    """Return True for a title, an honorific or a particle."""
    word = word.lower().rstrip(".")
    return word in ENGLISH_FEMALE or word in ENGLISH_MALE or word in ENGLISH_NEUTRAL
