"""The labels the block model learns from: which blocks of a page its gold text is made of."""

from bench.blocks.labels import label_blocks

PROSE = "The keeper of the light wrote one line a day about the wind."
MORE = "On most days the line was the same, and nobody ever asked to read it."


def test_prose_in_the_gold_text_counts_and_the_menu_does_not() -> None:
    assert label_blocks(["Home", PROSE, MORE, "Read next"], f"{PROSE}\n{MORE}") == [0, 1, 1, 0]


def test_order_decides_between_two_places_of_the_same_words() -> None:
    gold = f"Wind\n{PROSE}\nSea\n{MORE}"
    assert label_blocks(["Sea", "Wind", PROSE, "Sea", MORE], gold) == [0, 1, 1, 1, 1]


def test_a_short_block_counts_only_as_a_whole_line() -> None:
    assert label_blocks(["the wind", PROSE], PROSE) == [0, 1]


def test_the_pieces_of_a_card_that_the_gold_writes_on_one_line_count() -> None:
    gold = "Brass lantern with a folding handle $22.40 in stock"
    assert label_blocks(["Brass lantern with a folding handle", "$22.40", "in stock", "Add to cart"], gold) == [
        1,
        1,
        1,
        0,
    ]


def test_a_block_of_which_the_gold_holds_a_part_gets_its_share() -> None:
    (share,) = label_blocks([f"{PROSE} Share this page with everybody you have ever met."], PROSE)
    assert 0.4 < share < 0.8


def test_nothing_counts_where_there_is_no_gold() -> None:
    assert label_blocks([PROSE, ""], "") == [0, 0]
