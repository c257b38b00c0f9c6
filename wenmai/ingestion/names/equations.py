"""Names that the text itself equates: 本名沈知秋, 大家叫他小七, 沈川，字伯舟, whose real name was Turner."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from tools.language import HAN
from tools.story.spellings import Spellings
from wenmai.ingestion.names.style_names import style_name_pairs
from wenmai.language.lexicon import surname

REACH = 60
"""Characters between two names of one person."""
_SAYS = '(?:是|为|叫|叫做|叫作|作|就是|便是|乃)?[：:，,]?[“「『‘"]?'
_OTHERS = re.compile(r"[哥弟姐妹兄嫂妻父母爹娘妈爸夫婿侄叔伯舅徒]|儿子|女儿|生|[一之][子女]|朋友|手下|主人|的$")
_NAMED = re.compile(
    f"(?:本名|原名|真名|真实姓名|大名|学名|全名|小名|乳名|代号|绰号|外号|诨号|诨名|浑名|化名|笔名|艺名|法号|道号|别号|又名|人送外号){_SAYS}$"
)
_ENDS = re.compile(r"[！？!?；;…“”]|。(?!本名|原名|真名|代号)")
_PLAINLY = re.compile(f"[，,、（(]?(?:名叫|名唤|唤作|叫做|叫作|又叫|又称|人称|表字|字|号|自号){_SAYS}")
_CALLED = re.compile(
    "(?:被大家|大家|众人|人们|人人|街坊|街坊们|邻居|邻居们|村里人|庄里的人|别人|旁人|同学们|同事们|江湖上|道上|的人|都)"
    '(?:都|便|就|也)*(?:叫|称|喊|唤|管|称呼)(?:他|她|其|我|之)?(?:为|作|做|叫)?[“「『‘"]?$'
)
_IS_THE = re.compile(r"[，,]?(?:就|便|正)?是")
_OF_HIM = re.compile(r"的(?:本名|原名|真名|代号|绰号|外号|诨号|化名|小名|乳名|笔名|艺名|法号|道号)")
_ENGLISH = re.compile(
    r",? ?(?:\(|--)?(?:whose|his|her) (?:real|true|full|own|proper|maiden|right|Christian) name (?:was|is|being) |"
    r",? ?\(?(?:alias|a\.k\.a\.|otherwise|(?:also |better |otherwise )?known as|nicknamed|née|nee|formerly) |"
    r",? (?:whom|as) (?:everybody|everyone|every one|they|people|all|his friends|her friends) (?:called|knew as) |"
    r",? (?:known|called) (?:to|by) \w+(?: \w+)? as |"
    r"[^.!?\n]{0,40}\b(?:[Ee]verybody|[Ee]veryone|[Ee]very one|[Tt]hey all|[Pp]eople|all) called (?:him|her) "
)
_QUOTE = re.compile(r"[“「『][^”」』\n]*[”」』]?")


def equated(texts: Sequence[str], names: Collection[str]) -> list[tuple[str, str]]:
    """Return pairs of names that a text says to be one person's."""
    spellings = Spellings.compile(names)
    found: dict[tuple[str, str], None] = {}
    for text in texts:
        for stream in _streams(text):
            found.update(dict.fromkeys(_pairs(stream, spellings)))
        for name, style in style_name_pairs(text, names):
            found.update(dict.fromkeys((name, form) for form in (style, surname(name) + style) if form in names))
    return list(found)


def _streams(text: str) -> Iterator[str]:
    """Yield each line, and what is said in it without what stands between: one sentence may go on behind a speaker."""
    for line in text.split("\n\n") if not HAN.search(text) else text.splitlines():
        line = " ".join(line.split("\n"))
        yield line
        quotes = [match[0].strip("“「『”」』") for match in _QUOTE.finditer(line)]
        if len(quotes) > 1:
            yield "".join(quotes)


def _pairs(text: str, names: Spellings) -> Iterator[tuple[str, str]]:
    spans = list(names.longest(text))
    for (start, end), (other, last) in pairwise(spans):
        between = text[end:other]
        if len(between) <= REACH and text[start:end] != text[other:last] and _equates(between, text[last : last + 4]):
            yield text[start:end], text[other:last]


def _equates(between: str, behind: str) -> bool:
    """Return True if what stands between two names, and behind the second, makes them one person's."""
    if _PLAINLY.fullmatch(between) or _ENGLISH.fullmatch(between):
        return True
    if _IS_THE.fullmatch(between):
        return bool(_OF_HIM.match(behind))
    if between.strip() in ("（", "(") and behind[:1] in ("）", ")"):
        return True
    found = _NAMED.search(between) or _CALLED.search(between)
    return found is not None and not _OTHERS.search(between[: found.start()]) and not _ENDS.search(between)
