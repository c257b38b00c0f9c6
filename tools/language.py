"""Detection of Chinese text, lengths in it, and what a text costs a model by its script."""

import re
from itertools import accumulate, takewhile
from math import ceil

from state.context import Language

HAN = re.compile(r"[\u3400-\u9fff]")
# Han characters, and the full-width punctuation that only such texts have.
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff01-\uff5e]")
KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
LEAST_KANA = 2  # one may be a fashion: の
LEAST_KANA_SHARE = 0.5  # of the Han characters of a Japanese text
CHINESE_ALONE = re.compile(r"[吗呢嗎谁什么麼哪怎几你您她们們这這]|是誰")  # which no Japanese question has
QUOTED = re.compile(r"「[^」]*」|『[^』]*』|《[^》]*》|“[^”]*”|‘[^’]*’|\"[^\"]*\"")
LATIN_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+")
LETTER = re.compile(r"[^\W\d_]")
CHINESE_GRAMMAR = re.compile(r"[的了是在吗呢嗎谁誰什么麼哪怎几幾]|多少|為何|为何")
ENGLISH_GRAMMAR = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|the|of|and|tell|list)\b",
    re.IGNORECASE,
)
_DIGITS, _UNITS, _ZEROS = "零一二三四五六七八九", ("千", "百", "十", ""), re.compile("零+")
LATIN_FACTOR = 2  # characters of Latin script that say as much as one Chinese character
# What a text costs a model: tokens of a wide character, or a typographic mark, and of any other. Fitted to what the
# multilingual tokenizer of the built-in embedder makes of three books; on three others it is 0 to 7 % off.
WIDE = re.compile(r"[\u2014\u2018-\u201d\u2026\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
WIDE_TOKENS, OTHER_TOKENS = 0.79, 0.275


def is_chinese(text: str) -> bool:
    """Return True if a text is Chinese; an accent or a curly quote does not make it so."""
    return CHINESE.search(text) is not None


def is_japanese(text: str) -> bool:
    """Return True if a text is Japanese: much of it is kana, which a Chinese one has at most as a fashion."""
    return len(KANA.findall(text)) > LEAST_KANA_SHARE * len(HAN.findall(text))


def spoken_in(text: str) -> Language:
    return "zh" if is_chinese(text) else "en"


def language_of(question: str) -> Language | None:
    """Return the language that a question is put in, whatever it quotes or names; None where no letter decides.

    A question in a language that is not spoken here counts as English.
    """
    words = QUOTED.sub(" ", question)
    text = words if LETTER.search(words) else question
    latin = len(LATIN_WORD.findall(text))
    if len(KANA.findall(text)) >= LEAST_KANA and not CHINESE_ALONE.search(text):  # 野比のび太是谁 is Chinese
        return "en"
    if HAN.search(text):
        return "en" if latin > 1 and not CHINESE_GRAMMAR.search(text) and ENGLISH_GRAMMAR.search(text) else "zh"
    return "en" if latin else None


def characters(text: str, count: int) -> int:
    """Return how many characters of a text's script say as much as `count` Chinese ones."""
    return count if HAN.search(text) else LATIN_FACTOR * count


def tokens(text: str) -> int:
    """Return about how many tokens a text costs a model, by the script of its characters."""
    wide = len(WIDE.findall(text))
    return ceil(WIDE_TOKENS * wide + OTHER_TOKENS * (len(text) - wide))


def cost(text: str) -> int:
    """Return what a text costs a model in Chinese characters, the unit of the budgets of all that a model is shown."""
    wide = len(WIDE.findall(text))
    return ceil(wide + OTHER_TOKENS / WIDE_TOKENS * (len(text) - wide))


def affordable(text: str, budget: float) -> int:
    """Return how many characters of the beginning of a text cost at most a budget in Chinese characters."""
    if len(text) <= budget or cost(text) <= budget:
        return len(text)
    costs = accumulate(1.0 if WIDE.match(letter) else OTHER_TOKENS / WIDE_TOKENS for letter in text)
    return sum(1 for _ in takewhile(lambda spent: spent <= budget, costs))


def chinese_number(number: int) -> str:
    """Return a whole number below 10,000 in Chinese, as headings have it: 七, 十二, 一百零五; else in digits."""
    if not 0 < number < 10_000:
        return str(number)
    digits = f"{number:04}"
    written = "".join(
        f"{_DIGITS[int(one)]}{unit}" if one != "0" else "零" for one, unit in zip(digits, _UNITS, strict=True)
    )
    plain = _ZEROS.sub("零", written).strip("零")
    return plain.removeprefix("一") if 10 <= number < 20 else plain
