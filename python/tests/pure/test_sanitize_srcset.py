import pytest

from nexus.text.picture_source import best_of_srcset


@pytest.mark.parametrize(
    ("srcset", "best"),
    [
        ("", None),
        (" , ,", None),
        ("a.png", "a.png"),
        ("a.png 1x, b.png 2x", "b.png"),
        ("a.png 1x,b.png 2x", "b.png"),
        ("a.png 1x,b.png,c.png 3x", "b.png,c.png"),
        ("a.png, b.png 2x", "b.png"),
        ("b.png 2x, a.png", "b.png"),
        ("a.png  2x , b.png 3x", "b.png"),
        ("a 100w 50h, b 200w", "b"),
        ("a 1.5x, b 1.25x", "a"),
        ("a nonsense, b 2x", "b"),
        ("s 300w, m 1200w, l 2048w, xl 4000w", "l"),
        ("xl 4000w, xxl 8000w", "xl"),
        ("/w_1,h_2/a 1x, /w_2,h_3/b 2x", "/w_2,h_3/b"),
        (",,a 1x,,", "a"),
    ],
)
def test_the_widest_copy_that_is_useful_wins(srcset: str, best: str | None) -> None:
    assert best_of_srcset(srcset) == best
