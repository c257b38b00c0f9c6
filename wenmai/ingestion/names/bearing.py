"""Whether a form of a name may be a person's, by its parts and titles."""

from collections.abc import Iterable, Sequence

from tools.language import HAN
from wenmai.ingestion.names.forms import NUMBERS, RANKS, Form
from wenmai.language.lexicon import surname
from wenmai.language.titles import CHINESE_PREFIXES, EXCLUSIVE, KINSHIP, MAIDEN, THROUGH_OTHERS, WOMEN, is_short_for

DOT = "·"


def is_same_name(one: Form, other: Form) -> bool:
    """Return True if one full name is the other with a middle name or a title more, or a short form of it."""
    short, long = sorted((one.parts, other.parts), key=len)
    if one.family != other.family:
        return len(short) > 1 and DOT in one.surface and long[: len(short)] == short
    return set(short) <= set(long) or is_short_for(one.given, other.given) or is_short_for(other.given, one.given)


def fits(form: Form, person: Sequence[Form]) -> bool:
    """Return True if a form may be one of a person's by its parts."""
    if not _tells_enough(form, person):
        return False
    if any(_is_rank(form, one) or _is_end(form, one) for one in person):
        return True
    full = [one for one in person if one.is_full]
    if any(is_part(form, one) or _is_pet_name(form, one) for one in full):
        return True
    return not full and any(_is_same(form, one) or _are_short(form, one) for one in person)


def fits_exactly(form: Form, person: Sequence[Form]) -> bool:
    """Return True if a form is a part of a person's full name, or the same name with another title."""
    return _tells_enough(form, person) and any(
        is_part(form, one) if one.is_full else _is_same(form, one) for one in person
    )


def is_part(form: Form, full: Form) -> bool:
    """Return True if a form is a part of a full name."""
    if form.surface in full.parts:
        return True
    if form.title == MAIDEN:
        return False
    if form.family:
        return form.family == full.family
    return all(part in full.parts for part in form.parts)


def are_exclusive(ones: Iterable[Form], others: Iterable[Form]) -> bool:
    """Return True if titles are there that no person bears both: Miss and Mrs, Mr and Sir."""
    titles = {word for form in (*ones, *others) for word in form.title.split()}
    return sum(bool(titles & group) for group in EXCLUSIVE) > 1


def is_through_another(form: Form) -> bool:
    """Return True for a title that a person has by a relative's name: 沙妈妈, 王二嫂, Mrs. Gray."""
    return form.title in THROUGH_OTHERS or (form.title[:1] in NUMBERS and form.title[1:] in THROUGH_OTHERS)


def _tells_enough(form: Form, person: Iterable[Form]) -> bool:
    """Return False for the title of a wife or a mother where no other has it: she has the name of another person.

    An English name without a title is seldom hers either.
    """
    known = [is_through_another(one) for one in person]
    if is_through_another(form):
        return any(known)
    return not (form.is_bare and all(known) and not HAN.search(form.surface))


def _is_same(form: Form, other: Form) -> bool:
    return form.parts == other.parts and _titles_agree(form, other)


def _titles_agree(one: Form, other: Form) -> bool:
    """Return False for two different titles with one Chinese surname (李掌柜, 李大夫), or for a woman's and another."""
    if not (one.title and other.title) or one.title == other.title:
        return True
    if one.is_of_surname:
        return False
    return bool(KINSHIP & {one.title, other.title}) or (one.title in WOMEN) == (other.title in WOMEN)


def _is_pet_name(form: Form, full: Form) -> bool:
    """Return True for 阿瑶, 小瑶, 瑶瑶, 瑶儿 beside 苏瑶, and for Bob beside Robert Brown."""
    if len(form.parts) != 1 or form.is_of_surname:
        return False
    [name] = form.parts
    if not HAN.match(name):
        return is_short_for(name, full.given)
    if len(name) != len("阿瑶"):
        return False
    if name[0] in CHINESE_PREFIXES and DOT in full.surface:
        return any(part[0] == name[1] for part in full.parts)
    core = name[1] if name[0] in CHINESE_PREFIXES or name[0] == name[1] else name[0] if name[1] == "儿" else ""
    return bool(core) and core in full.given


def _is_end(form: Form, other: Form) -> bool:
    """Return True for the second half of a Chinese name that is no surname and given name: 海斗 of 伊藤海斗."""
    name, whole = form.surface, other.surface
    return bool(HAN.match(name)) and 1 < len(name) < len(whole) - 1 and not other.title and whole.endswith(name)


def _is_rank(form: Form, other: Form) -> bool:
    """Return True for 三哥 beside 陈三."""
    name = other.surface[len(surname(other.surface)) :]
    return bool(form.title) and form.parts == (name,) and name in RANKS


def _are_short(one: Form, other: Form) -> bool:
    """Return True if one of two given names without a family name is short for the other: Bob, Robert."""
    names = [*one.parts, *other.parts]
    return len(names) == len((one, other)) and (is_short_for(*names) or is_short_for(*reversed(names)))
