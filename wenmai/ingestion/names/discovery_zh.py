"""Chinese name discovery (see discovery.py)."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tools.story.spellings import Spellings
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import COMPOUND_SURNAMES, SURNAMES, TITLES, surname, words
from wenmai.language.segmenting import segmenter, tag_of

MIN_COUNT = 4
MIN_COHESION = 2.0
"""Least natural logarithm of how much oftener a word occurs than its halves would meet by chance."""
MIN_FREEDOM = 1.0
"""Least entropy (nats) of the neighbours on either side: below it the word is a piece of a longer one."""
MIN_SPEAKING = 0.03
"""Share of a word's occurrences that must speak or act before it is taken for a person."""
MIN_ADDRESSED = 0.012
"""Share of occurrences after a word that takes a person as its object (见, 与): 大喜 speaks, but is never met."""
MAX_NAME = 4
_HAN = re.compile(r"^[\u3400-\u9fff·]{2,6}$")
_SPEAKER = re.compile(
    r"(?:^|[，。；！？”」\n\u3000 ])([\u3400-\u9fff]{2,4}?)"
    r"(?:[大微冷忙又便乃]?[笑怒喜惊哭叹骂喝]{0,2})(?:曰|道|说道|问道|说)[：:，][“「]"
)
_VERB_TAIL = re.compile(r"[曰道说笑问听见忙又便也和与同那这里是来去了在大因等都叫命令引将把被一不着过]$")
_VERB_HEAD = re.compile(r"^[这那只见却说但因叫与和同见对向把被将又便忙请問问等令命随从是了的在有于离]")
_PLACE_TAIL = "山关城坡州郡县江河谷寨道亭津渡原口岭桥宫园府洞寺观国庄村镇湖岛礁湾港殿堂阁楼庙馆塔街巷坊营堡池崖峰海滩"
_ORG_TAIL = "帮派教会盟军门宗族党社团院堂局司衙"
_GOING = re.compile(r"(?:[至到往回赴取攻守出入离奔屯投过在于抵望])$")
_ACTING = re.compile(
    r"^(?:[大微冷忙又便乃遂急笑怒喜哭]{0,2})(?:曰|道|说|问|听|见|笑|怒|忙|便|乃|遂|点头|摇头|叹|哭|走|站|坐|抬|看|想|心|拍|引|领|拜|叫|骂|喝|答|应)"
)
_ADDRESSED = re.compile(r"[与與见謂谓对對被请請同叫和跟把问問杀斩拜问给替找喊骂]$")
_NO_NAME = re.compile(r"大[怒喜惊笑哭骂叫]|[之其皆曰也乃遂吾汝]|[们的得着了]$")
_PREFIX = re.compile(r"^[于离过至到往出入取那这小老众]")
_NO_PLACE = re.compile(
    r"^[东西南北正上下前后内外半深高大小离过入于]{1,2}[南北东西门山江河海峰岭寨城]?$|^(?:山坡|馆驿|四海|山林|山[口脚门水峰崖]|江[水海湖]|宗庙|宝殿|朝门"
    r"|太阳|上屋|河中|波中|中[厅堂]|旁门|王府|府城|城[东西南北]|庄村|沙滩|海岛|仙[宫乡]|正南|直北|吉时|重阳|圣明)$"
)
_NAME_TAGS = ("nr", "ns", "nt", "nz")
_COMMON = frozenset(
    words("""
    不知 二人 三人 众人 众将 一人 此人 老者 老儿 先生 丞相 将军 都督 太守 大王 太后 天子 主公 夫人 小姐 姑娘
    太太 奶奶 老爷 和尚 师父 徒弟 妖精 那怪 军士 小卒 左右 百姓 使者 使命 细作 探马 哨马 诸侯 群臣 文武 众官
    朝廷 大臣 宦官 何人 谁人 吾等 汝等 我等 你们 我们 他们 咱们 大家 自己 今日 明日 昨日 今夜 次日 当日 此时
    如何 不敢 不可 不曾 原来 只见 却说 且说 话说 正是 果然 忽然 于是 因此 所以 倘若 虽然 弟兄 兄弟 父亲 母亲
    儿子 女儿 丫头 丫鬟 婆子 小厮 媳妇 妈妈 嬷嬷 哥哥 姐姐 妹妹 弟弟 嫂子 舅舅 姑妈 姨妈 爷爷 老太 女婿 妻子
    丈夫 水手 船长 大夫 掌柜 官兵 巡丁 孩子 老人 姑爷 大仙 行货 呆子 小妖 老魔 众妖 国王 公主 皇帝 陛下 菩萨
    佛祖 玉帝 大圣 长老 英雄 豪杰 贤弟 仁兄 足下 明公 殿下 寡人
    """)
)


@dataclass(slots=True)
class _Seen:
    """What stands around a word."""

    count: int = 0
    left: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    acting: int = 0
    addressed: int = 0
    going: int = 0


def discover_chinese(texts: Sequence[str], taken: set[str]) -> list[KnownName]:
    """Return the names that the texts themselves give away, most frequent first."""
    proposals = _proposals(texts)
    wanted = [word for word in proposals if _possible(word, proposals[word], taken)]
    seen = _observe(texts, wanted)
    characters = Counter(char for text in texts for char in text)
    total = sum(characters.values())
    kept = {
        word: kind
        for word, found in seen.items()
        if _stands(word, found, characters, total) and (kind := _kind(word, found, proposals[word]))
    }
    return _with_aliases(_maximal(kept, seen), seen, taken)


def _possible(word: str, tags: Counter[str], taken: set[str]) -> bool:
    """Refuse common words, verbs and phrases, and known names with something glued to them."""
    if word in taken or word in _COMMON or _NO_NAME.search(word):
        return False
    if any(word[:size] in taken or word[-size:] in taken for size in range(2, len(word))):
        return word.endswith(TITLES)
    if not segmenter().has_word(word):
        return True
    tag = tag_of(word)
    return tag.startswith(_NAME_TAGS) or tags["say"] >= (3 if tag == "n" else 20)


def _proposals(texts: Sequence[str]) -> dict[str, Counter[str]]:
    """Return candidate words with the tags that the segmenter gave them; speakers are tagged `say`."""
    tags: dict[str, Counter[str]] = {}
    for text in texts:
        for word, tag in _tagged(text):
            for form in _forms(word):
                tags.setdefault(form, Counter())[tag] += 1
        for match in _SPEAKER.finditer(text):
            for form in _forms(match[1]):
                tags.setdefault(form, Counter())["say"] += 1
    return {word: found for word, found in tags.items() if sum(found.values()) >= MIN_COUNT // 2}


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    for word, tag in segmenter().tag(text, True):
        if tag[:2] in ("nr", "ns", "nt", "nz") and _HAN.match(word):
            yield word, tag[:2]


def _forms(word: str) -> Iterator[str]:
    """Yield a word without the verbs that the segmenter glued to it: 孔明曰, 玄德大, 却说宝玉."""
    while len(word) > 2 and _VERB_TAIL.search(word):
        word = word[:-1]
    while len(word) > 2 and _VERB_HEAD.match(word):
        word = word[1:]
    if 2 <= len(word) <= MAX_NAME and not _VERB_TAIL.search(word):
        yield word


def _observe(texts: Sequence[str], words: Iterable[str]) -> dict[str, _Seen]:
    spellings = Spellings.compile(words)
    seen: dict[str, _Seen] = {}
    for text in texts:
        for start, end in spellings.every(text):
            found = seen.setdefault(text[start:end], _Seen())
            found.count += 1
            found.left[text[start - 1 : start] or "\n"] += 1
            found.right[text[end : end + 1] or "\n"] += 1
            found.acting += bool(_ACTING.match(text[end : end + 5]))
            found.addressed += bool(_ADDRESSED.search(text[max(0, start - 1) : start]))
            found.going += bool(_GOING.search(text[max(0, start - 1) : start]))
    return seen


def _stands(word: str, found: _Seen, characters: Counter[str], total: int) -> bool:
    """Return True if a word is frequent, coheres and stands free."""
    if found.count < MIN_COUNT or min(_entropy(found.left), _entropy(found.right)) < MIN_FREEDOM:
        return False
    chance = math.prod(characters[char] / total for char in word) * total
    return math.log(found.count / max(chance, 1e-9)) / (len(word) - 1) >= MIN_COHESION


def _entropy(neighbours: Counter[str]) -> float:
    """Entropy in nats; ends of clauses count as different neighbours, a name stands free beside them."""
    total = sum(neighbours.values())
    free = sum(n for char, n in neighbours.items() if char in "，。；：！？、“”‘’\n\u3000 （）《》")
    rest = -sum(n / total * math.log(n / total) for n in neighbours.values() if n)
    return rest + free / total


def _kind(word: str, found: _Seen, tags: Counter[str]) -> str | None:
    """Return the kind of entity that a word names, None if its surroundings do not show it."""
    people, places = tags["nr"] + 4 * tags["say"], tags["ns"]
    acting, going = found.acting / found.count, found.going / found.count
    if word[-1] in _ORG_TAIL and tags["nt"] + tags["nz"] + tags["ns"] and acting < 0.1 and len(word) > 2:
        return "Organization"
    named = bool(surname(word)) or word.endswith(TITLES) or tags["say"] >= 2
    addressed = found.addressed / found.count
    spoken_to = addressed >= MIN_ADDRESSED and found.addressed > 0
    least = MIN_SPEAKING / 2 if surname(word) and people >= 10 else MIN_SPEAKING
    if acting >= least and spoken_to and people >= places and (named or acting >= 5 * MIN_SPEAKING):
        return "Character" if acting > going / 2 else None
    if _NO_PLACE.match(word):
        return None
    if segmenter().has_word(word) and not tag_of(word).startswith(("ns", "nt", "nz", "nr")):
        return None
    if (word[-1] in _PLACE_TAIL or places > people) and going >= 0.08 and acting < 0.12:
        return "Location"
    return None


def _maximal(kept: dict[str, str], seen: dict[str, _Seen]) -> dict[str, str]:
    """Drop words that stand inside a longer kept one nearly whenever they occur, and longer ones that add a verb."""
    dropped = set()
    for long in kept:
        for short in (long[at : at + size] for size in range(2, len(long)) for at in range(len(long) - size + 1)):
            if short in kept and kept[short] == kept[long]:
                if seen[long].count > 0.7 * seen[short].count:
                    dropped.add(short)
                elif (long.startswith(short) and long[len(short) :] not in TITLES) or (
                    long.endswith(short) and _PREFIX.match(long)
                ):
                    dropped.add(long)
    return {word: kind for word, kind in kept.items() if word not in dropped}


def _with_aliases(kept: dict[str, str], seen: dict[str, _Seen], taken: set[str]) -> list[KnownName]:
    """Join a given name to the one full name that ends with it: 宝玉 to 贾宝玉."""
    full = [word for word, kind in kept.items() if kind == "Character" and _full(word)]
    aliases: dict[str, list[str]] = {}
    owners: dict[str, list[str]] = {}
    for name in full:
        given = name[len(surname(name)) :]
        if len(given) == 2 and given not in taken and given in kept:
            owners.setdefault(given, []).append(name)
    for given, names in owners.items():
        best = max(names, key=lambda name: seen[name].count)
        rest = sum(seen[name].count for name in names) - seen[best].count
        if seen[best].count >= 9 * rest:
            aliases.setdefault(best, []).append(given)
    joined = {alias for found in aliases.values() for alias in found}
    weight = {w: seen[w].count + sum(seen[alias].count for alias in aliases.get(w, ())) for w in kept}
    ordered = sorted((w for w in kept if w not in joined), key=lambda w: (-weight[w], w))
    return [KnownName(name=word, kind=kept[word], aliases=tuple(aliases.get(word, ()))) for word in ordered]


def _full(word: str) -> bool:
    return (len(word) == 3 and word[0] in SURNAMES) or (len(word) == 4 and word[:2] in COMPOUND_SURNAMES)
