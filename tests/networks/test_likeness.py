"""How like two texts are: the quick ways say the same as the definitions (S001-D01)."""

from hypothesis import given
from hypothesis import strategies as st

from tools.text.scripts import bare, bigrams, holds_in_order, is_similar

TEXTS = st.text(alphabet="上下气道梗阻、，aB.]^-\\ \n", max_size=12)


@given(TEXTS, TEXTS)
def test_half_of_the_pairs(text: str, wanted: str) -> None:
    """S001-D01: similarity is the Dice coefficient of the pairs of characters."""
    one, other = bigrams(text), bigrams(wanted)
    dice = 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
    assert is_similar(text, wanted, 0.5) == (dice >= 0.5)


@given(TEXTS, TEXTS)
def test_characters_in_order(text: str, wanted: str) -> None:
    """S001-D01: every character stands behind the one before it."""
    rest = iter(bare(text))
    assert holds_in_order(text, wanted) == (bool(bare(wanted)) and all(char in rest for char in bare(wanted)))
