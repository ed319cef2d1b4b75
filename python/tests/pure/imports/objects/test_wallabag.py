import json
from datetime import UTC, datetime, timedelta, timezone

from nexus.text.imports.records import ImportedHighlight, ImportedItem
from tests.pure.imports.objects.samples import WALLABAG, WALLABAG_1
from tests.pure.imports.reading import items, problems, read


def one(**changed: object) -> ImportedItem:
    (item,) = items({"w.json": json.dumps([WALLABAG | changed])})
    return item


def test_every_field_of_an_entry() -> None:
    assert one() == ImportedItem(
        "w.json",
        1,
        url="https://a.example/x?a=1&b=2",
        title="Cat's cradle",
        saved_at=datetime(2024, 3, 1, 8, 15, tzinfo=timezone(timedelta(hours=1))),
        tags=("knots", "long read"),
        archived=True,
        read=True,
        starred=True,
        highlights=(ImportedHighlight("the  thread", "my note"),),
        html="<p>Thread</p>",
        author="Ann, Bo",
        lang="fr-FR",
        published_at=datetime(2023, 12, 24, tzinfo=UTC),
    )


def test_it_is_called_by_its_name() -> None:
    summary, _ = read({"export": json.dumps([WALLABAG])})
    assert (summary.sources, summary.labels) == (("wallabag",), ("wallabag",))
    assert (summary.counts.highlights, summary.counts.with_content) == (1, 1)


def test_flags_as_numbers_booleans_and_text() -> None:
    assert [one(is_archived=flag).archived for flag in (0, 1, False, True, "0", "1")] == [False, True] * 3
    assert one(is_archived=0).read is False
    assert one(is_archived=None).archived is None
    assert one(is_starred=[]).starred is None


def test_a_page_that_it_could_not_fetch_has_no_content() -> None:
    message = "wallabag can't retrieve contents for this article. Please <a href='x'>troubleshoot this issue</a>."
    assert one(content=message).html is None
    assert one(content=None).html is None
    assert one(content="  ").html is None


def test_tags_that_version_2_0_lost_and_those_of_the_api() -> None:
    assert one(tags=[{}]).tags == ()
    assert one(tags=[{"id": 1, "label": "a", "slug": "a"}, {"label": " b  c "}]).tags == ("a", "b c")


def test_the_link_may_be_missing_where_it_was_saved_is_said() -> None:
    assert one(url=None).url == "https://a.example/given"
    assert one(url="", given_url="", origin_url="https://a.example/from").url == "https://a.example/from"
    without = {key: value for key, value in WALLABAG.items() if "url" not in key and key != "content"}
    (problem,) = problems({"w.json": json.dumps([WALLABAG_1, {**without, "url": None}])})
    assert (problem.line, problem.code, problem.title) == (2, "no_link", "Cat's cradle")


def test_the_api_embeds_its_entries() -> None:
    (item,) = items({"w.json": json.dumps({"page": 1, "_embedded": {"items": [WALLABAG]}, "_links": {}})})
    assert item == one()


def test_version_1() -> None:
    (item,) = items({"w.json": json.dumps([WALLABAG_1])})
    assert item == ImportedItem(
        "w.json", 1, url="https://old.example/", title="Old", tags=("a", "b c"), archived=True, read=True,
        starred=False, html="<p>old</p>",
    )  # fmt: skip


def test_the_keys_that_decide_may_stand_behind_a_long_text() -> None:
    entry = {"content": "x" * 200_000, **{key: value for key, value in WALLABAG.items() if key != "content"}}
    (item,) = items({"w.json": json.dumps([entry])})
    assert item.url == WALLABAG["url"]
