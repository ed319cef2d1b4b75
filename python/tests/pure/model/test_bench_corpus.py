"""The development pages of the block model: read from their files, split by site, scored as their collections do."""

import json
import lzma
from pathlib import Path

import pytest
from bench.corpus import Sample, fold_of, load_corpus, page_score, score_by_kind, scores_by_set, site_of

WCXB = {
    "id": "0001",
    "url": "https://a.example/x",
    "html": "<p>One",
    "type": "forum",
    "text": "One two",
    "with": ["One"],
}
SNIPPETS = {
    "set": "traf",
    "id": "hard::paper.example-fire.html",
    "url": "hard::paper.example-fire.html",
    "html": "<p>Two",
    "with": ["the  house\nburned", "nobody was hurt"],
    "without": ["Read next"],
}
STRUCTURE = {
    "set": "mozilla",
    "id": "paper-2",
    "url": "http://fakehost/test/page.html",
    "html": "<p>Three",
    "text": "a b c d e",
    "expected_html": "<p>a b c d e</p>",
    "expected_metadata": {"title": "Letters"},
}


def _sample(name: str, gold: str, identity: str = "1") -> Sample:
    return Sample(identity, "", "", name, gold, name)


def test_both_files_are_read_together(tmp_path: Path) -> None:
    first, second = tmp_path / "one.jsonl.xz", tmp_path / "two.jsonl"
    first.write_bytes(lzma.compress(json.dumps(WCXB).encode()))
    second.write_text("\n".join(json.dumps(row) for row in (SNIPPETS, STRUCTURE)), encoding="utf-8")
    forum, snippets, structure = load_corpus(first, second)
    assert (forum.set, forum.kind, forum.gold, forum.must) == ("wcxb", "forum", "One two", ("One",))
    assert (snippets.set, snippets.kind, snippets.gold, snippets.url) == ("traf", "traf", "", "")
    assert (snippets.must, snippets.must_not) == (tuple(SNIPPETS["with"]), ("Read next",))
    assert (structure.expected_html, structure.expected_metadata) == ("<p>a b c d e</p>", {"title": "Letters"})


@pytest.mark.parametrize(
    ("url", "identity", "site"),
    [
        ("https://www.paper.example/a", "1", "paper.example"),
        ("https://news.paper.co.uk/a", "1", "paper.co.uk"),
        ("http://fakehost/test/page.html", "paper-2", "paper"),
        ("", "hard::paper.example-fire.html", "paper.example"),
    ],
)
def test_pages_of_one_site_are_in_one_fold(url: str, identity: str, site: str) -> None:
    sample = Sample(identity, url, "", "page", "")
    assert site_of(sample) == site
    assert fold_of(sample) == fold_of(Sample("9", f"https://{site}/", "", "page", ""))


def test_words_are_a_bag_without_case() -> None:
    score = page_score(_sample("wcxb", "The wind the sea"), "the Sea the the")
    assert (score.precision, score.recall, score.f1) == (0.75, 0.75, 0.75)


def test_runs_of_four_words_keep_case_and_order() -> None:
    score = page_score(_sample("mozilla", "a b c d e"), "a b c d E a b c d")
    assert (score.precision, score.recall) == (1 / 6, 1 / 2)
    assert page_score(_sample("mozilla", "a b"), "a b").f1 == 1.0
    assert page_score(_sample("mozilla", "a b"), "b a").f1 == 0.0


def test_a_page_without_text_has_no_precision() -> None:
    samples = [_sample("magic", "a b c d"), _sample("magic", "a b c d")]
    assert score_by_kind(samples, ["a b c d", ""])["all"] == {
        "pages": 2,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 0.6667,
    }


def test_snippets_are_counted_over_all_pages() -> None:
    wanted = ("the  house\nburned", "nobody was hurt")
    samples = [
        Sample("1", "", "", "traf", "", "traf", wanted, ("Read next",)),
        Sample("2", "", "", "traf", "", "traf", ("four letters",), ()),
    ]
    scores = score_by_kind(samples, ["At night the house burned.\nRead next", "four letters"])
    assert scores["all"] == {"pages": 2, "precision": 0.6667, "recall": 0.6667, "f1": 0.6667}


def test_sets_with_metrics_of_their_own_have_no_common_mean() -> None:
    samples = [_sample("wcxb", "one"), Sample("2", "", "", "forum", "two", "wcxb"), _sample("magic", "three")]
    assert set(score_by_kind(samples, ["one", "two", "three"])) == {"wcxb", "forum", "magic"}


def test_a_page_that_an_extractor_fails_on_counts_as_empty() -> None:
    samples = [_sample("magic", "a b c d", "1"), _sample("magic", "a b c d", "2"), _sample("wcxb", "one", "3")]
    report = scores_by_set(samples, {"mine": {"1": "a b c d", "2": None}, "other": {"1": "", "2": "b", "3": "one"}})
    assert report["magic"]["metric"] == "shingle"
    assert report["magic"]["mine"]["all"] == {
        "pages": 2,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 0.6667,
        "empty": 1,
        "failed": 1,
    }
    assert report["magic"]["other"]["all"]["empty"] == 1
    assert set(report["wcxb"]) == {"metric", "pages", "other"}
