"""Forms of names, and who bears which."""

from collections.abc import Sequence

import pytest

from tools.story.names import Spellings
from wenmai.ingestion.names.forms import Parts, form_of, is_house, parts_of
from wenmai.ingestion.names.merging import NamedPerson, NameEvidence, merged_people
from wenmai.ingestion.names.spans import Place


def bearers(names: Sequence[str], *texts: str, equations: Sequence[tuple[str, str]] = ()) -> list[NamedPerson]:
    """Merge names where texts have them; without a text each stands alone in it once."""
    texts = texts or ("。甲乙丙丁。".join(names),)
    spellings = Spellings.compile(names)
    places: dict[str, list[Place]] = {name: [] for name in names}
    for chapter, text in enumerate(texts):
        for start, end in spellings.longest(text):
            places[text[start:end]].append(Place(chapter, start))
    parts = parts_of(places)
    return merged_people([form_of(name, parts) for name in names], NameEvidence(texts, places), equations)


def people(names: Sequence[str], *texts: str, equations: Sequence[tuple[str, str]] = ()) -> list[set[str]]:
    """Return the names of each person that are nobody else's."""
    return [set(person.surfaces) for person in bearers(names, *texts, equations=equations)]


@pytest.mark.parametrize(
    ("surface", "given", "family", "title", "gender"),
    [
        ("林小满", "小满", "林", "", ""),
        ("欧阳靖", "靖", "欧阳", "", ""),
        ("欧阳", "", "欧阳", "", ""),
        ("李掌柜", "", "李", "掌柜", ""),
        ("老周", "", "周", "老", ""),
        ("周大老爷", "", "周", "大老爷", "m"),
        ("李二婶子", "", "李", "二婶子", "f"),
        ("陈登科", "登科", "陈", "", ""),
        ("赵三", "", "", "", ""),
        ("顾先生", "", "顾", "先生", "m"),
        ("爱德华·格雷", "爱德华", "格雷", "", "m"),
        ("格雷夫人", "", "", "夫人", "f"),
        ("格雷探险家", "", "", "探险家", ""),
        ("Mrs. Gray", "", "Gray", "mrs", "f"),
        ("John Brown", "John", "Brown", "", "m"),
        ("SIR HENRY CURTIS", "Henry", "Curtis", "sir", "m"),
        ("Fritz von Tarlenheim", "Fritz", "Tarlenheim", "", ""),
        ("poor old Sapt", "", "", "", ""),
        ("Duke Duke", "", "", "duke", "m"),
        ("Charles II", "Charles", "", "", "m"),
        ("Aunt Polly", "", "", "aunt", "f"),
    ],
)
def test_a_form_is_taken_apart(surface: str, given: str, family: str, title: str, gender: str) -> None:
    form = form_of(surface, Parts(foreign={"格雷"}))

    assert (form.given, form.family, form.title, form.gender) == (given, family, title, gender)


def test_a_word_that_the_text_writes_small_too_is_no_part_of_a_name() -> None:
    assert form_of("Black Michael", Parts(common={"black"})).parts == ("Michael",)
    assert form_of("Sirius Black", Parts(common={"black"})).parts == ("Sirius", "Black")


@pytest.mark.parametrize(
    "names",
    [
        ["林小满", "小满", "林小姐"],
        ["苏瑶", "阿瑶", "瑶儿"],
        ["尹三娘", "三娘"],
        ["赵三", "三哥"],
        ["伊藤海斗", "海斗"],
        ["爱德华·格雷", "爱德华", "格雷先生", "老格雷"],
        ["贝克·奥东戈", "老奥"],
        ["John Brown", "Mr. Brown", "Brown", "John"],
        ["Robert Brown", "Bob", "Bobby Brown"],
        ["Duke Michael", "Michael"],
        ["Colonel Sapt", "Old Sapt", "Sapt"],
        ["Rupert of Hentzau", "Rupert Hentzau", "young Rupert"],
        ["Franklin P. Scudder", "Franklin Scudder", "SCUDDER"],
    ],
)
def test_names_of_one_person(names: list[str]) -> None:
    if names[0] == "林小满":
        assert people(names, "林小满来了，她笑了。" * 3 + "小满走了。林小姐走了。") == [set(names)]
    else:
        assert people(names) == [set(names)]


@pytest.mark.parametrize(
    "names",
    [
        ["John Gray", "Mrs. Gray"],
        ["Jane Bennet", "Mrs. Bennet"],
        ["Mr. Elliot", "Sir Walter Elliot"],
        ["Miss Eldridge", "Captain Eldridge"],
        ["Mrs. Morel", "Morel"],
        ["Crispin Stroud", "Lady Stroud"],
        ["李掌柜", "李大夫"],
        ["葛世昌", "葛老太太"],
        ["王小二", "王氏"],
        ["沙平", "沙妈妈"],
        ["鲍猛", "鲍三姐"],
        ["魏铁柱", "魏奶奶"],
        ["苏瑶", "苏瑶妈妈"],
        ["金枝", "小金枝"],
        ["李大有", "李三思"],
    ],
)
def test_names_of_two_people(names: list[str]) -> None:
    assert people(names) == [{name} for name in names] or people(names) == [{name} for name in reversed(names)]


def test_pronouns_tell_a_woman_from_a_man() -> None:
    text = "沈先生来了。" + "沈梅走来，她笑了。" * 4 + "沈川走来，他笑了。"

    assert people(["沈梅", "沈先生"], text) == [{"沈梅"}, {"沈先生"}]
    assert people(["沈梅", "沈川", "沈先生"], text) == [{"沈梅"}, {"沈川", "沈先生"}]


def test_what_is_said_in_quotes_behind_a_name_is_of_somebody_else() -> None:
    text = "“小满，”他说。" * 4 + "林小满来了，她笑了。" * 4

    assert people(["林小满", "小满"], text) == [{"林小满", "小满"}]


def test_of_two_bearers_the_one_who_was_named_last_is_meant() -> None:
    text = "周进来了。周学道坐下。周进说话。周学道也说话。" + "众人散了。" * 1000 + "周瑜来了。"

    assert people(["周进", "周瑜", "周学道"], text) == [{"周进", "周学道"}, {"周瑜"}]


def test_a_title_beside_the_full_name_decides() -> None:
    text = "“我叫周衍，夜巡队第三小队队长。”周国栋没有说话。周国栋走了。周队笑了。周国栋回来。周队点头。"

    assert people(["周衍", "周国栋", "周队"], text) == [{"周国栋"}, {"周衍", "周队"}]


def test_what_nothing_decides_is_an_alias_of_both() -> None:
    text = "周进来了。周老爷坐下。" + "众人散了。" * 1000 + "周瑜来了。周老爷坐下。"

    found = bearers(["周进", "周瑜", "周老爷"], text)

    assert [[form.surface for form in person.shared] for person in found] == [["周老爷"], ["周老爷"]]


def test_two_who_stand_side_by_side_are_two() -> None:
    text = "卓然同老卓去了。老卓看了卓然一眼。卓然把信交给老卓。"

    assert people(["卓然", "老卓"], text) == [{"卓然"}, {"老卓"}]


def test_what_the_text_equates_is_one_person() -> None:
    pairs = [("长夜", "沈知秋"), ("玄德", "刘备"), ("玄德", "赵云")]

    assert people(["长夜", "沈知秋"], equations=pairs) == [{"长夜", "沈知秋"}]
    assert people(["刘备", "玄德", "赵云"], equations=pairs) == [{"刘备", "玄德"}, {"赵云"}]


def test_two_whom_the_text_shows_together_are_two_whatever_it_seems_to_say() -> None:
    text = "老猫看着毛建国。毛建国骂了老猫。老猫打了毛建国。毛建国咬了老猫。"

    assert people(["毛建国", "老猫"], text, equations=[("毛建国", "老猫")]) == [{"毛建国"}, {"老猫"}]


def test_a_surname_with_old_behind_it_is_a_title() -> None:
    assert people(["厉无咎", "厉老"]) == [{"厉无咎", "厉老"}]


def test_a_family_is_no_person() -> None:
    assert is_house("周家")
    assert not is_house("周进")
