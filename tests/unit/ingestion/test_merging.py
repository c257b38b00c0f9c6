"""Forms of names, and who bears which."""

import pytest

from wenmai.ingestion.names.forms import foreign_parts, form_of, is_house
from wenmai.ingestion.names.merging import Place, merged
from wenmai.language.titles import Gender


def people(
    counts: dict[str, int], genders: dict[str, Gender] | None = None, places: dict[str, list[int]] | None = None
) -> list[set[str]]:
    """Merge names that stand all over one chapter, or at the given places."""
    foreign = foreign_parts(list(counts))
    forms = [form_of(surface, foreign) for surface in counts]
    stands = {surface: [Place(0, at * 10) for at in range(count)] for surface, count in counts.items()}
    stands |= {surface: [Place(0, start) for start in starts] for surface, starts in (places or {}).items()}
    return [{form.surface for form in person.forms} for person in merged(forms, stands, genders or {})]


@pytest.mark.parametrize(
    ("surface", "given", "family", "gender"),
    [
        ("林小满", "小满", "林", ""),
        ("欧阳靖", "靖", "欧阳", ""),
        ("李掌柜", "", "李", ""),
        ("老周", "", "周", ""),
        ("顾先生", "", "顾", "m"),
        ("爱德华·格雷", "爱德华", "格雷", ""),
        ("格雷夫人", "", "", "f"),
        ("Mrs. Gray", "", "Gray", "f"),
        ("John Brown", "John", "Brown", ""),
        ("Fritz von Tarlenheim", "Fritz", "Tarlenheim", ""),
        ("Aunt Polly", "", "", "f"),
    ],
)
def test_a_form_is_taken_apart(surface: str, given: str, family: str, gender: str) -> None:
    form = form_of(surface, {"格雷"})

    assert (form.given, form.family, form.gender) == (given, family, gender)


def test_a_word_that_the_text_writes_small_too_is_no_part_of_a_name() -> None:
    assert form_of("Black Michael", common={"black"}).parts == ("Michael",)


def test_given_name_surname_and_title_are_one_person() -> None:
    assert people({"林小满": 5, "小满": 9, "林小姐": 2}) == [{"林小满", "小满", "林小姐"}]
    assert people({"John Brown": 2, "Mr. Brown": 5, "Brown": 3, "John": 4}) == [
        {"John Brown", "Mr. Brown", "Brown", "John"}
    ]
    assert people({"爱德华·格雷": 2, "爱德华": 8, "格雷先生": 3}) == [{"爱德华·格雷", "爱德华", "格雷先生"}]


def test_mrs_gray_is_not_mr_gray() -> None:
    found = people({"Henry Gray": 3, "Mr. Gray": 4, "Mrs. Gray": 5}, {"Henry Gray": "m"})

    assert found == [{"Henry Gray", "Mr. Gray"}, {"Mrs. Gray"}]


def test_without_a_full_name_two_titles_of_a_family_are_two_people() -> None:
    assert people({"李掌柜": 4, "李大夫": 3}) == [{"李掌柜"}, {"李大夫"}]
    assert people({"Mr. Brown": 4, "Brown": 3}) == [{"Mr. Brown", "Brown"}]


def test_of_two_bearers_the_one_that_stands_near_is_meant() -> None:
    near = {"周进": [0, 100, 200], "周学道": [50, 150], "周瑜": [90_000]}

    assert people({"周进": 3, "周瑜": 1, "周学道": 2}, None, near) == [{"周进", "周学道"}, {"周瑜"}]


def test_a_family_is_no_person() -> None:
    assert is_house("周家")
    assert not is_house("周进")
