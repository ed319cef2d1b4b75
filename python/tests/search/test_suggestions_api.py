"""Suggestions while a user types, from their own entries alone."""

from typing import Any
from uuid import UUID

import httpx2
import pytest

from nexus.schemas.search import Suggestions
from nexus.search.index import Snapshot
from nexus.search.query import Query
from nexus.services.search.suggestions import CANDIDATES, CHECKED
from tests.api.saving import ALICE, BOB, as_user, save
from tests.lifecycle_steps import LifecycleSteps


def suggestions(client: httpx2.Client, q: str, user: UUID = ALICE) -> list[dict[str, Any]]:
    answer = client.get("/api/search/suggestions", params={"q": q}, headers=as_user(user))
    assert answer.status_code == 200, answer.text
    # The route writes what was found as it is.
    assert Suggestions.model_validate(answer.json()).model_dump(mode="json") == answer.json()
    return list(answer.json()["suggestions"])


def completed(client: httpx2.Client, q: str, user: UUID = ALICE) -> list[str]:
    return [one["q"] for one in suggestions(client, q, user)]


def article(client: httpx2.Client, steps: LifecycleSteps, number: int, user: UUID = ALICE, **facts: Any) -> UUID:
    url = f"https://news.example.net/{number}"
    item = save(client, user, url=url)
    return steps.succeed_item(item, canonical_url=url, **{"words": "Tails of comets", "lang": "de", **facts})


def change(client: httpx2.Client, media_id: UUID, **changes: Any) -> None:
    client.patch(f"/api/library/{media_id}", json=changes, headers=as_user(ALICE)).raise_for_status()


def test_operators_are_suggested(client: httpx2.Client) -> None:
    found = suggestions(client, "")
    assert [one["operator"] for one in found] == [
        "tag", "site", "author", "kind", "is", "in", "lang", "before", "after",
    ]  # fmt: skip
    assert found[0] == {"operator": "tag", "value": "", "count": None, "q": "tag:"}
    assert completed(client, "comets i") == ["comets is:", "comets in:"]
    assert completed(client, "is:un") == ["is:unread "]
    assert completed(client, "-in:no") == ["-in:notes "]
    assert completed(client, "kind:p") == ["kind:paste ", "kind:podcast "]
    assert completed(client, 'tag:"to read"') == completed(client, "nothing:x") == []


def test_values_of_ones_own_entries_are_suggested(client: httpx2.Client, steps: LifecycleSteps) -> None:
    first = article(client, steps, 1, byline="Zoë Ann Lee")
    second = article(client, steps, 2, byline="Zoltan Kiss", site_name="The Zoo")
    change(client, first, tags=["Sky/Night watch", "Later"])
    change(client, second, tags=["Later", '24" screens'])
    assert suggestions(client, "tag:la") == [{"operator": "tag", "value": "Later", "count": 2, "q": "tag:Later "}]
    assert completed(client, "comets tag:wat") == completed(client, 'comets tag:"ni') == [
        'comets tag:"Sky/Night watch" '
    ]  # fmt: skip
    assert completed(client, "tag:24") == [], "a quote cannot be written within quotes"
    assert suggestions(client, "site:exa") == [
        {"operator": "site", "value": "example.net", "count": 2, "q": "site:example.net "}
    ]
    assert completed(client, "site:www.new") == ["site:news.example.net "]
    assert completed(client, "author:zo") == ['author:"The Zoo" ', 'author:"Zoltan Kiss" ', 'author:"Zoë Ann Lee" ']
    assert completed(client, 'author:"ann l') == ['author:"Zoë Ann Lee" ']
    assert completed(client, "lang:") == ["lang:de "]
    (year,) = suggestions(client, "after:20")
    assert (year["q"], year["count"]) == (f"after:{year['value']} ", None)
    assert completed(client, "zol") == ['author:"Zoltan Kiss" ']
    for q in (one for typed in ("tag:s", "site:n", "author:a", "lang:", "is:u") for one in completed(client, typed)):
        answer = client.get("/api/search", params={"q": q}, headers=as_user(ALICE)).json()
        assert answer["total"], q


def test_only_so_many_authors_are_counted(
    client: httpx2.Client, steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        article(client, steps, number, byline=f"Zo{number % 2} Lee {number}", site_name=f"Zo{number % 2} News {number}")
    asked: list[int] = []

    def newest(snapshot: Snapshot, query: Query, limit: int) -> Any:
        asked.append(limit)
        return unchanged(snapshot, query, limit)

    unchanged = Snapshot.newest
    monkeypatch.setattr(Snapshot, "newest", newest)
    params: dict[str, Any] = {"q": "author:zo", "limit": 1}
    answer = client.get("/api/search/suggestions", params=params, headers=as_user(ALICE)).raise_for_status()
    assert len(answer.json()["suggestions"]) == 1
    assert len(asked) <= 2 * CANDIDATES
    assert max(asked) <= CHECKED


def test_nothing_of_others_and_nothing_that_is_gone(
    client: httpx2.Client, steps: LifecycleSteps, dev_server: str
) -> None:
    """The index is not brought up to date in between."""
    article(client, steps, 1, byline="Zoë Lee")
    gone = save(client, url="https://gone.example.org/")
    steps.succeed_item(gone, canonical_url="https://gone.example.org/", byline="Gone Girl", lang="fr", words="Gone")
    own = save(client, BOB, pasted_text="Lighthouses of the north")
    change(client, steps.media_of(gone), tags=["gone"])
    typed = ("tag:", "site:", "author:z", "author:g", "lang:", "z", "g", "n")
    assert [completed(client, q) for q in typed[:5]] == [
        ["tag:gone "], ["site:example.net ", "site:example.org ", "site:gone.example.org ", "site:news.example.net "],
        ['author:"Zoë Lee" '], ['author:"Gone Girl" '], ["lang:de ", "lang:fr "],
    ]  # fmt: skip
    client.delete(f"/items/{gone}", headers=as_user(ALICE)).raise_for_status()
    with httpx2.Client(base_url=dev_server, timeout=60) as unindexed:
        assert completed(unindexed, "site:") == ["site:example.net ", "site:news.example.net "]
        assert (completed(unindexed, "author:g"), completed(unindexed, "lang:")) == ([], ["lang:de "])
    assert [completed(client, q, BOB) for q in typed[:4]] == [[], [], [], []]
    assert [one["value"] for q in typed for one in suggestions(client, q, BOB) if one["value"]] == []
    assert own


def test_misspelt_words_are_corrected_by_ones_own_words_alone(client: httpx2.Client) -> None:
    save(client, ALICE, pasted_text="The lighthouse\n\nIts keeper wrote letters.")
    save(client, BOB, pasted_text="A warehouse\n\nof other things")

    def ask(user: UUID) -> dict[str, Any]:
        answer = client.get("/api/search", params={"q": "ligthouse "}, headers=as_user(user))
        return dict(answer.raise_for_status().json())

    assert (ask(ALICE)["corrected"], ask(ALICE)["total"]) == ({"ligthouse": "lighthouse"}, 1)
    found = ask(BOB)
    assert (found["corrected"], found["total"], found["hits"], found["facets"]["kind"]) == ({}, 0, [], [])
