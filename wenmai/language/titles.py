"""Titles, honorifics and kinship words that stand with a name, and the gender that they tell."""

from typing import Literal

from wenmai.language.lexicon import is_surname, words

Gender = Literal["", "f", "m"]
CHINESE_FEMALE = words("""
    太太 小姐 夫人 女士 姑娘 大嫂 嫂子 嫂 婶子 婶 大姐 姐姐 姐 妹妹 妹 妈妈 妈 奶奶 婆婆 婆 阿姨 姨娘 姨妈 姨 大娘
    娘娘 娘 公主 王妃 皇后 贵妃 师太 老太太 太君 大妈 姑妈 姑姑 姑 女王 嬷嬷 修女 女侠 仙子 老夫人 老太 少奶奶 大奶奶
    二奶奶 大小姐 二小姐 嫂嫂 婶婶 二婶 三婶 二嫂 三嫂 大姨 小姨 婆子 新娘 氏 妃 才人 贵人 嫔 学姐 学妹 师娘 丫头 寡妇
    """)
CHINESE_MALE = words("""
    先生 大哥 哥哥 哥 弟弟 弟 大叔 叔叔 叔公 叔 伯伯 大伯 伯 爷爷 爷 大爷 老爷 少爷 公子 员外 舅舅 舅 爵士 神父 相公
    太监 公公 和尚 王爷 大师 国王 王子 太子 驸马 侠 老头 老汉 老先生 老爹 老翁 大老爷 二老爷 二爷 三爷 四爷 五爷
    老太爷 少 二哥 三哥 四哥 二叔 三叔 四叔 二伯 三伯 表哥 表弟 世兄 长兄 仁兄 兄 大官人 官人 官 老官 大郎 二郎 三郎
    郎 汉子 屠户 老头子 老头儿 学长 学弟 师公 牧师 老哥 老弟 小哥 大兄弟 兄弟 公
    """)
CHINESE_NEUTRAL = words("""
    师傅 师父 师兄 师姐 师弟 师妹 师叔 师尊 掌柜 老板 队长 队 处长 局长 院长 主任 医生 大夫 老师 教授 警官 警长 经理
    总 工 董 科长 所长 校长 书记 镇长 村长 厂长 站长 会长 社长 县长 市长 部长 班长 连长 营长 团长 排长 司令 参谋 县令
    知县 知府 知州 大人 将军 都督 太守 丞相 尚书 侍郎 侍卫 御史 巡抚 总督 提督 道长 道人 真人 长老 尊者 掌门 帮主 堂主
    监生 秀才 举人 翰林 学道 司业 相国 专员 博士 船长 上尉 中尉 少尉 上校 中校 少校 上将 少将 中士 下士 伯爵 公爵 侯爵
    男爵 子爵 法官 律师 记者 秘书 管家 护士 教练 导演 编辑 同志 同学 前辈 大王 大仙 菩萨 陛下 殿下 父母 乡绅 贡生 进士
    学台 宗师 通政 参军 客人 朋友 孝廉 解元 状元 探花 中丞 太傅 太师 太尉 校尉 都尉 元帅 司令员 政委 干事 主编 总监
    总裁 董事长 助理 组长 科 处 局 院 所 法医 主席 总统 首相 大使 领事 船主 大副 教头 都头 提辖 押司 管事 总管 捕头
    捕快 师长 军长 旅长 探长 侦探 探员 舰长 机长 车长 馆长 领班 股长 庭长 审判长 参赞 主教 修士 校监 督学 道士 道友
    仙师 上人 法师 师伯 门主 宗主 岛主 谷主 庄主 城主 教主 阁主 楼主 舵主 护法 供奉 家主 少主 小友 嬷 导
    """)
CHINESE_PREFIXES = "老小阿大"
ENGLISH_FEMALE = frozenset(
    words("""
    mrs miss ms madam madame mademoiselle lady dame mistress aunt auntie sister mother grandma grandmother widow goody
    queen princess duchess countess baroness empress
    """)
)
ENGLISH_MALE = frozenset(
    words("""
    mr master sir lord uncle brother father grandpa grandfather king prince duke count baron earl emperor monsieur
    squire
    """)
)
ENGLISH_NEUTRAL = frozenset(
    words("""
    dr doctor professor captain capt colonel col major general lieutenant sergeant corporal inspector detective
    constable judge reverend rev president senator governor old young little poor dear cousin the von van de da di del
    la le of agent special canon pastor marshal marshall bishop cardinal chief commander admiral sheriff
    """)
)
ENGLISH_QUALIFIERS = frozenset(words("old young little poor dear the von van de da di del la le of"))
"""Words before a name that no person bears as a title."""
MARRIED = frozenset(words("夫人 太太 老太太 大娘 大嫂 嫂子 嫂 婶子 婶 二婶 三婶 大妈 奶奶 老夫人 少奶奶 mrs"))
"""Titles of women with the family name of a man."""
THROUGH_OTHERS = MARRIED | frozenset(words("妈妈 妈 爸爸 爸 嫂嫂 婶婶 媳妇 寡妇 婆子"))
"""Titles that come with the name of a husband, a wife or a child."""
WOMEN = MARRIED | {"miss", "madame", "lady"}
KINSHIP = frozenset(words("cousin aunt auntie sister uncle brother father"))
EXCLUSIVE = (
    frozenset(words("mrs")),
    frozenset(words("miss")),
    frozenset(words("mr")),
    frozenset(words("sir lord king prince duke count baron earl lady queen princess duchess countess baroness")),
)
"""Titles of which a person bears those of one group alone."""
MAIDEN = "氏"
"""The title behind the name of a family that a woman was born into."""
KIN = frozenset("嫂婶姐妹妈婆姨娘姑哥弟叔伯爷舅")
"""Titles of one character that stand behind given names too; the others stand behind a surname alone."""
RELATIONS = frozenset("父母妻妇子女弟兄妹姐嫂爹娘妈爸夫孙侄舅婆")
"""Characters behind a name that make another person of it: 刘备母."""
_BY_LENGTH = sorted(
    [(word, "f") for word in CHINESE_FEMALE]
    + [(word, "m") for word in CHINESE_MALE]
    + [(word, "") for word in CHINESE_NEUTRAL],
    key=lambda row: -len(row[0]),
)

CHINESE_TITLES = frozenset(title for title, _ in _BY_LENGTH)
LONGEST_TITLE = len(_BY_LENGTH[0][0])


def without_title(name: str) -> tuple[str, str, Gender]:
    """Return a Chinese name without the title behind it, the title, and the gender that it tells."""
    for title, gender in _BY_LENGTH:
        rest = name[: -len(title)]
        if rest and name.endswith(title) and (len(title) > 1 or title in KIN or is_surname(rest)):
            return rest, title, "m" if gender == "m" else "f" if gender == "f" else ""
    return name, "", ""


def english_gender(title: str) -> Gender:
    """Return the gender that an English title tells."""
    word = title.lower().rstrip(".")
    return "f" if word in ENGLISH_FEMALE else "m" if word in ENGLISH_MALE else ""


def is_english_title(word: str) -> bool:
    """Return True for a title, an honorific or a particle."""
    word = word.lower().rstrip(".")
    return word in ENGLISH_FEMALE or word in ENGLISH_MALE or word in ENGLISH_NEUTRAL
