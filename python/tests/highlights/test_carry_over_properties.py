"""However a text changes, no highlight is lost, and none is at other words than those that were marked."""

from typing import Any
from uuid import uuid4

import httpx2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nexus.db.session import Database
from nexus.text.quotes.similarity import MIN_SIMILARITY
from nexus.worker.highlight_carrier import HighlightCarrier
from tests.api.saving import ALICE, as_user, save
from tests.highlights.marking import of_text, post
from tests.lifecycle_steps import LifecycleSteps, article
from tests.pure.quotes.test_find_quote import alike

# fmt: off
WORD = st.sampled_from([
    "the", "keeper", "of", "a", "lighthouse", "counted", "ships,", "forty", "vessels", "שלום", "灯台", "and", "🙂",
    "wrote", "each", "down.", "Nobody", "read",
])
# fmt: on
TEXT = st.lists(WORD, min_size=12, max_size=40)
EDIT = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from(["gone", "other", "more"]), WORD), min_size=1, max_size=12
)


def edited(words: list[str], edits: list[tuple[int, str, str]]) -> list[str]:
    changed = list(words)
    for at, kind, word in edits:
        place = at % len(changed)
        if kind == "gone" and len(changed) > 8:
            del changed[place]
        elif kind == "other":
            changed[place] = word
        else:
            changed.insert(place, word)
    return changed


def new_reading(client: httpx2.Client, steps: LifecycleSteps, url: str, words: list[str]) -> None:
    """Written as a version without a comparison, which is tested elsewhere."""
    save(client, url=url)
    steps.succeed(steps.claim_one(), article(url, " ".join(words)), min_chars=0)


def fragments(client: httpx2.Client, media: str, version: int) -> dict[int, str]:
    response = client.get(f"/media/{media}/fragments", params={"version": version}, headers=as_user(ALICE))
    return {each["idx"]: each["canonical_text"] for each in response.json()["data"]}


def words_at(client: httpx2.Client, highlight: dict[str, Any]) -> str:
    text = fragments(client, highlight["media_id"], highlight["version"])[highlight["start"]["fragment_idx"]]
    return text[highlight["start"]["offset"] : highlight["end"]["offset"]]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    TEXT,
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 120)), min_size=1, max_size=5),
    st.lists(EDIT, min_size=1, max_size=3),
)
def test_whatever_becomes_of_a_text(
    client: httpx2.Client,
    steps: LifecycleSteps,
    database: Database,
    words: list[str],
    places: list[tuple[int, int]],
    readings: list[list[tuple[int, str, str]]],
) -> None:
    url = f"https://example.com/{uuid4()}"
    media = str(steps.succeed_item(save(client, url=url), " ".join(words), canonical_url=url))
    made: dict[str, str] = {}
    for start, length in places:
        first = start % len(" ".join(words))
        last = min(first + length, len(" ".join(words)))
        start_at, end_at = ({"fragment_idx": 0, "offset": offset} for offset in (first, last))
        response = post(client, media, version=1, start=start_at, end=end_at)
        if response.status_code == 201:  # else there is only white space
            made[response.json()["data"]["id"]] = " ".join(words)[first:last]
    for edits in readings:
        words = edited(words, edits)
        new_reading(client, steps, url, words)
        carrier = HighlightCarrier(database)
        while carrier.step():
            pass
        current = client.get(f"/media/{media}", headers=as_user(ALICE)).json()["data"]["version"]
        found = {each["id"]: each for each in of_text(client, media)}
        assert {key: each["quote"] for key, each in found.items()} == made, "none is lost, none has other words"
        for each in found.values():
            assert alike(each["quote"], words_at(client, each)) >= MIN_SIMILARITY
            assert (each["state"] == "attached") == (each["version"] == current)
