"""Words by which a text gives a person a name: parts of expressions, for Chinese and English."""

import re

NICKNAME = (
    "外号|绰号|诨号|诨名|浑名|混号|小名|乳名|奶名|昵称|花名|代号|法号|道号|别号|雅号|艺名|笔名|化名|又名|人称|人送|号称"
)
REAL_NAME = "本名|原名|真名|真实姓名|大名|大号|学名|全名|官名"
_BE = "(?:不过|其实|原来)?(?:叫做|叫作|叫|就是|便是|是|为|唤作|唤做|唤|作|乃)?[：:，,]?"
_CALL = "(?:昵称|戏称|尊称|称呼|叫|喊|唤|称|管|尊)"
CALLED = (
    rf"(?:{_CALL}(?P<who>[他她其之我])(?:叫做|叫作|叫|作|做|为|一声)?"
    r"|[给替](?P<given>[他她我])[^，。！？；“”]{0,6}[起取]了?[^，。！？；“”]{0,3}(?:外号|绰号|诨名|名字)，?(?:叫做?|是)?)"
)
"""叫他, 管她叫, 给他起了个外号，叫."""
NAMED = (
    rf"(?:(?:{NICKNAME}|{REAL_NAME}){_BE}|被[^，。！？；“”]{{0,8}}?(?:叫|称|昵称|戏称|唤)[作做为]"
    rf"|名字，(?:叫做|叫作|就叫|叫))"
)
"""外号, 真名叫, 被朋友们称为, 只有一个名字，叫."""
ONE_OF_SEVERAL = "(?<=[，；：“])(?:[大小男女]的|老[大二三四五]|[长次幼三][子女]|头一个|另一个)(?:名叫|叫做|叫作|叫|名)"
"""大的叫 in 有两个儿子，大的叫…，小的叫…."""
HABIT = re.compile(r"[都们众总里上]|人|大家|大伙|一直|从来|从小|街坊|私下|背地|背后|江湖")
"""What tells a name that somebody has from words that are shouted at him once."""
APART = re.compile(
    r"姓([一-龥]{1,2}?)[，,、]?(?:单名(?:一个)?|名叫|名唤|名|讳)([一-龥]{1,2}?)(?:字(?=[，。；])|(?=[，,。；、]|表?字))"
)
"""Surname and name told apart: 姓沈，名川; 姓罗，单名一个蔓字."""
_ONLY = r"(?:\s+(?:anything|nothing)\s+(?:but|except)|\s+only|\s+simply)?"
_CALLS = r"(?:call(?:s|ed)?|nicknamed|dubbed|christened|named)"
ENGLISH_CALLED = rf"\b(?:{_CALLS}|knew|knows)\s+(?P<who>him|her|me){_ONLY}(?:\s+as)?(?:\s+the)?\s+"
"""called him, knew her as the."""
ENGLISH_NAMED = (
    rf"(?:\b(?:known|called)\s+(?:(?:to|by|on|in|from)\s+(?:[\w'’-]+\s+){{1,7}}?)?as|\balias"
    rf"|\b(?<!had )(?<!have )(?<!has )nicknamed|\bwhom?\s+(?:[\w'’-]+\s+){{1,6}}?(?:{_CALLS}|knew\s+as)"
    rf"|\b(?:was|is)\s+(?:never\s+|always\s+|only\s+)?called{_ONLY}|\b(?:real|true|full|own)\s+name\s+(?:was|is)"
    rf"|\bby\s+the\s+name\s+of|\banswer\w*\s+to(?:\s+the\s+name\s+of)?)(?:\s+the)?\s+"
)
"""known on both banks as, whom everyone called, answered to the name of."""
ENGLISH_BEHIND = r",?\s+as\s+(?:[\w'’-]+\s+){1,4}?called\s+(?:him|her)\b"
"""as we called her, behind a name."""
I_AM = r"(?<![一-龥])我(?:的?(?:大名|大号|名字|真名|本名|小名|学名))?(?:就?叫做?|名叫|就?是)"
ENGLISH_I_AM = r"\b(?:[Mm]y\s+name(?:['’]s|\s+is|\s+was)|I\s+(?:was|am)\s+(?:called|named|christened)|I,)\s+"
