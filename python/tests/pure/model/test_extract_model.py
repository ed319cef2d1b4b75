import numpy as np

from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.features.block_table import OWN_NAMES, BlockTable, block_features
from nexus.text.extraction.features.page_hints import read_hints
from nexus.text.extraction.features.token_score import token_features, token_scores
from nexus.text.extraction.model import Forest, shipped_model
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.rules.copies import without_copies
from nexus.text.extraction.rules.last_section import without_named_end
from nexus.text.extraction.select_blocks import (
    Layout,
    best_expected_f1,
    choose,
    find_tables,
    layout_of,
    whole_tables,
    with_code,
    without_doubtful,
    without_link_tail,
)

PROSE = "The keeper wrote one line a day, and on most days it was about the wind that came in from the sea."
PAGE = (
    "<html><head><title>Wind</title></head><body><nav><ul><li><a href='/'>Home</a></li></ul></nav>"
    f"<main><article><h1>Wind</h1>{f'<p>{PROSE}</p>' * 6}</article></main>"
    "<footer><p>© 2026 All rights reserved</p></footer></body></html>"
)


def test_a_forest_is_walked_left_at_the_threshold_and_right_above_it() -> None:
    stump = Forest(
        roots=np.array([0], dtype=np.int32),
        feature=np.array([1, 0, 0], dtype=np.int32),
        threshold=np.array([2.0, np.inf, np.inf], dtype=np.float32),
        left=np.array([1, 1, 2], dtype=np.int32),
        value=np.array([0.0, -4.0, 4.0], dtype=np.float32),
        depth=3,
    )
    rows = np.array([[9, 2.0], [9, 2.5]], dtype=np.float32)
    assert stump.log_odds(rows).tolist() == [-4.0, 4.0]
    assert stump.log_odds(np.repeat(rows, 300, axis=0)).tolist() == [-4.0] * 300 + [4.0] * 300


def test_the_shipped_model_fits_the_features() -> None:
    model, root = shipped_model(), parse_html(PAGE)
    body = root.find("body")
    assert body is not None
    table, groups = block_features(collect_blocks(body), read_hints(root), model.lexicon)
    answers = model.probabilities(table.matrix, groups)
    assert table.matrix.shape[1] - 20 < int(model.forest.feature.max()) < table.matrix.shape[1]
    assert answers[2:-1].min() > 0.5
    assert max(answers[0], answers[-1]) < 0.3


def test_expected_f1_keeps_the_sure_and_weighs_the_unsure_by_size() -> None:
    sure, surely = best_expected_f1(
        np.array([0.9, 0.05, 0.8], dtype=np.float32), np.array([50, 50, 50], dtype=np.float32)
    )
    assert sure.tolist() == [True, False, True]
    unsure, hardly = best_expected_f1(
        np.array([0.35, 0.3, 0.3], dtype=np.float32), np.array([50, 50, 50], dtype=np.float32)
    )
    assert unsure.all()
    assert surely > 0.75
    assert hardly < 0.6


def test_of_two_copies_the_likelier_counts_unless_they_stand_side_by_side() -> None:
    words = np.full(8, 20, dtype=np.float32)
    chances = np.array([0.5, 0.9, 0.7, 0.71, 0.8, 0.8, 0.3, 0.3], dtype=np.float32)
    texts = ["twice", "twice", "again", "again", "refrain", "refrain", "third", "third"]
    holders = [1, 2, 3, 4, 5, 5, 6, 7]
    assert np.flatnonzero(without_copies(texts, holders, chances, words)).tolist() == [1, 2, 4, 5, 6]
    few = np.full(8, 5, dtype=np.float32)
    assert without_copies(texts, holders, chances, few).tolist() == chances.tolist()


def test_a_paragraph_that_an_author_repeats_stays_and_a_second_layout_does_not() -> None:
    sure, words = np.full(8, 0.97, dtype=np.float32), np.full(8, 20, dtype=np.float32)
    once = ["a", "b", "c", "d", "a", "e", "f", "g"]
    assert without_copies(once, list(range(8)), sure, words).all()
    twice = ["a", "b", "c", "d", "a", "b", "c", "d"]
    assert np.flatnonzero(without_copies(twice, list(range(8)), sure, words)).tolist() == [0, 1, 2, 3]


def test_a_page_that_is_clear_keeps_no_doubtful_block() -> None:
    words = np.array([100, 100, 20], dtype=np.float32)
    layout = Layout(["a", "b", "c"], [1, 1, 1], [])
    kept, chances = np.ones(3, dtype=np.bool_), np.array([0.95, 0.9, 0.45], dtype=np.float32)
    assert without_doubtful(layout, kept, 0.95, chances, words).tolist() == [True, True, False]
    assert without_doubtful(layout, kept, 0.6, chances, words).all()
    mostly_doubtful = np.array([0.95, 0.45, 0.45], dtype=np.float32)
    assert without_doubtful(layout, kept, 0.95, mostly_doubtful, words).all()


def test_a_doubtful_list_between_clear_prose_stays_and_one_after_it_goes() -> None:
    items = "<ul><li>Loud</li><li>Heavy</li><li>Late</li></ul>"
    page = collect_blocks(parse_html(f"<div><p>text</p>{items}<p>text</p>{items}</div>"))
    words = np.array([100, 1, 1, 1, 100, 1, 1, 1], dtype=np.float32)
    chances = np.array([0.95, *[0.5] * 3, 0.95, *[0.5] * 3], dtype=np.float32)
    every = np.ones(8, dtype=np.bool_)
    clear = without_doubtful(layout_of(page), every, 0.95, chances, words)
    assert np.flatnonzero(clear).tolist() == [0, 1, 2, 3, 4]


def test_a_short_last_section_that_names_other_content_goes_and_a_long_one_stays() -> None:
    texts = ["The wind", "Prose", "About the author", "Ada writes."]
    is_heading = np.array([True, False, True, False])
    every = np.ones(4, dtype=np.bool_)
    short = np.array([2, 200, 3, 10], dtype=np.float32)
    assert without_named_end(texts, is_heading, every, short).tolist() == [True, True, False, False]
    assert without_named_end(texts, is_heading, every, np.array([2, 50, 3, 40], dtype=np.float32)).all()
    assert without_named_end(texts, np.zeros(4, dtype=np.bool_), every, short).all()
    assert without_named_end(["The wind", "Prose", "Related work", "Ada wrote."], is_heading, every, short).all()


def table_of(words: list[int], link_density: list[float]) -> BlockTable:
    matrix = np.zeros((len(words), len(OWN_NAMES)), dtype=np.float32)
    matrix[:, OWN_NAMES.index("words")] = words
    matrix[:, OWN_NAMES.index("link_density")] = link_density
    return BlockTable(matrix)


def test_where_the_model_sees_no_text_prose_is_kept_and_a_shell_of_menus_is_not() -> None:
    layout = Layout(["a", "b", "c", "d"], [1, 1, 1, 1], [])
    doubtful = np.full(4, 0.05, dtype=np.float32)
    assert choose(layout, table_of([40, 3, 60, 3], [0, 1, 0.1, 1]), doubtful) == [0, 2]
    assert choose(layout, table_of([14, 9, 9, 9], [0, 1, 1, 1]), doubtful) == []
    scrap = Layout(["a"], [1], [])
    assert choose(scrap, table_of([4], [0]), doubtful[:1]) == [0]


def test_a_small_table_beside_kept_text_is_kept_whole_and_a_lonely_one_is_not() -> None:
    cells = "<table>" + "<tr><td>Ohio</td><td>4.2</td></tr>" * 3 + "</table>"
    page = collect_blocks(parse_html(f"<div><p>text</p>{cells}</div><div><p>menu</p><p>more</p>{cells}</div>"))
    kept = np.array([True, *[False] * 14])
    words = np.array([30, *[1] * 6, 30, 30, *[1] * 6], dtype=np.float32)
    assert np.flatnonzero(whole_tables(find_tables(page), kept, words)).tolist() == list(range(7))


def test_links_after_the_last_sentence_go_unless_the_page_is_a_list_of_links() -> None:
    words = np.array([40, 40, 3, 7, 7], dtype=np.float32)
    density = np.array([0, 0.1, 0, 1, 1], dtype=np.float32)
    heading = np.array([False, False, True, False, False])
    every = np.ones(5, dtype=np.bool_)
    assert without_link_tail(every, words, density, heading).tolist() == [True, True, False, False, False]
    mostly_links = np.array([1, 0, 0, 1, 1], dtype=np.float32)
    short = np.array([40, 8, 3, 7, 7], dtype=np.float32)
    assert without_link_tail(every, short, mostly_links, heading).all()


def test_code_behind_kept_text_stays_and_code_behind_a_menu_does_not() -> None:
    page = collect_blocks(
        parse_html("<div><p>text</p><p>text</p><pre>x = 1</pre></div><div><p>menu</p><pre>y</pre></div>")
    )
    kept = np.array([True, True, False, False, False])
    words = np.array([30, 30, 3, 30, 1], dtype=np.float32)
    assert np.flatnonzero(with_code(find_tables(page), kept, words)).tolist() == [0, 1, 2]


def test_a_block_is_scored_by_its_classes_its_words_and_the_heading_above_it() -> None:
    page = collect_blocks(
        parse_html("<div class='post'><p>Wind</p></div><div><h2>Related</h2><p class='post'>Sea</p></div>")
    )
    weights = {"": 0.5, "a:post": 2.0, "n:post": 1.0, "t:wind": 4.0, "h:related": -8.0}
    assert token_scores(page, weights).tolist() == [7.5, 0.5, -4.5]


def test_the_best_run_of_scores_is_where_the_text_is() -> None:
    scores = np.array([-3, 3, 3, -0.1, 3, -3], dtype=np.float32)
    columns = token_features(scores, np.full(6, 20, dtype=np.float32))
    assert columns[:, 6].tolist() == [0, 1, 1, 1, 1, 0]
    assert columns[:, 7].tolist() == [-1, 0, 1, 2, 3, 4]
