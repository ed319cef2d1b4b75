"""Which entry is which episode, and which are selected."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.feed.identity import identify_entries, match
from nexus.podcasts.feed.model import Entry
from nexus.podcasts.feed.select import oldest_first, select


def entry(position: int, **facts: Any) -> Entry:
    base: dict[str, Any] = {
        "guid": f"g{position}", "title": f"T{position}", "enclosure_url": f"https://cdn.example/{position}.mp3",
        "published_at": datetime(2024, 1, 28 - position, tzinfo=UTC),
    }  # fmt: skip
    return Entry(position=position, **(base | facts))


def stored_episodes(*entries: Entry) -> list[StoredEpisode]:
    return [
        StoredEpisode(number, each.guid, each.guid_source, f"{number:04d} - x", list(each.aliases))
        for number, each in enumerate(identify_entries(entries), 1)
    ]


def matched(now: list[Entry], before: list[StoredEpisode]) -> list[int | None]:
    return [episode.number if episode else None for _, episode in match(identify_entries(now), before)]


def test_identity_falls_back_from_guid_to_audio_to_title_and_day() -> None:
    entries = [
        entry(1),
        entry(2, guid=None),
        entry(3, guid=None, enclosure_url=None),
        entry(4, guid=None, enclosure_url=None, title=None),
    ]
    named = identify_entries(entries)
    assert [(each.guid_source, each.guid) for each in named] == [
        ("guid", "g1"),
        ("enclosure", "enclosure:cdn.example/2.mp3"),
        ("title_and_date", "title:2024-01-25:t3"),
    ]


def test_changed_guid_is_the_same_episode() -> None:
    before = stored_episodes(entry(1), entry(2))
    assert matched([entry(1, guid="new"), entry(2)], before) == [1, 2]
    moved_host = entry(1, guid="new", enclosure_url="https://other.example/x.mp3")
    assert matched([moved_host, entry(2)], before) == [1, 2]
    assert matched([replace(moved_host, title="Another")], before) == [None]


def test_tracker_and_token_in_the_audio_url_are_ignored() -> None:
    before = stored_episodes(entry(1, guid=None))
    assert matched([entry(1, guid=None, enclosure_url="http://cdn.example/1.mp3?token=2")], before) == [1]


def test_guid_wins_over_everything_else() -> None:
    before = stored_episodes(entry(1), entry(2))
    swapped = [entry(1, guid="g2"), entry(2, guid="g1")]
    assert matched(swapped, before) == [2, 1]


def test_new_episode_with_old_audio_beside_the_old_one_is_new() -> None:
    before = stored_episodes(entry(1))
    rerun = entry(0, guid="again", enclosure_url="https://cdn.example/1.mp3")
    assert matched([rerun, entry(1)], before) == [None, 1]


def test_duplicate_items_are_one() -> None:
    twice = [
        entry(1),
        entry(1),
        entry(2),
        entry(
            3, guid="other", title="T2", enclosure_url="https://cdn.example/2.mp3", published_at=entry(2).published_at
        ),
    ]
    assert [each.entry.position for each in identify_entries(twice)] == [1, 2]


def test_guid_shared_by_different_episodes_is_ignored() -> None:
    named = identify_entries([entry(n, guid="https://show.example/") for n in (1, 2, 3)])
    assert [each.guid_source for each in named] == ["enclosure"] * 3
    before = stored_episodes(*(each.entry for each in named))
    assert matched([entry(2, guid="https://show.example/")], before) == [2]


def selected(entries: list[Entry], **config: Any) -> list[int]:
    return [each.entry.position for each in select(identify_entries(entries), PodcastConfig(**config))]


def test_order_then_dates_then_offset_then_maximum() -> None:
    entries = [entry(n) for n in range(1, 11)]  # newest first: 1 is of the 27th, 10 of the 18th
    assert selected(entries) == list(range(1, 11))
    assert selected(entries, episode_order="oldest", max_episodes=2) == [10, 9]
    assert selected(entries, episode_offset=3, max_episodes=2) == [4, 5]
    window = {"episode_since": date(2024, 1, 20), "episode_until": date(2024, 1, 25)}
    assert selected(entries, **window) == [3, 4, 5, 6, 7, 8]
    assert selected(entries, **window, episode_offset=1, max_episodes=3, episode_order="oldest") == [7, 6, 5]


def test_undated_entries_stay_next_to_their_neighbours() -> None:
    entries = [entry(1), entry(2, published_at=None), entry(3), entry(4, published_at=None)]
    assert selected(entries) == [1, 2, 3, 4]
    assert selected(entries, episode_since=date(2024, 1, 27)) == [1, 2, 4]


def test_feed_in_any_order_is_sorted_by_date() -> None:
    shuffled = [entry(3), entry(1), entry(2)]
    assert [each.entry.title for each in oldest_first(identify_entries(shuffled))] == ["T3", "T2", "T1"]
