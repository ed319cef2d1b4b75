"""What a page of a user's highlights costs as they grow, and how long a text's highlights take to be carried over to
another version: python -m bench.highlights [--highlights N…] [--times N].

A real server process on an embedded database of its own, asked over loopback; the carrying without a database.
"""

import argparse
import json
import os
import random
import statistics
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg

from bench.saves import USER, median_ms, running_server
from nexus.text.quotes.find_quote import Quote, SearchedText
from nexus.text.quotes.joined_text import CONTEXT_CHARS

FIGURES = Path(__file__).parents[1] / "figures" / "highlights.json"
PER_TEXT = 50
FILL = """
    WITH numbers AS (
        SELECT gen_random_uuid() AS id, n FROM generate_series(%(first)s::integer, %(last)s::integer) AS n
    ), new_media AS (
        INSERT INTO media (id, kind, title, requested_url, processing_status, processing_completed_at, current_version)
        SELECT id, 'web_article', md5(n::text), 'https://site.example/' || n, 'ready_for_reading', now(), 1 FROM numbers
    ), versions AS (
        INSERT INTO media_versions (media_id, version, origin) SELECT id, 1, 'fetched' FROM numbers
    ), fragments AS (
        INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
        SELECT id, 1, 0, '', repeat('word ', 1000) FROM numbers
    )
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, final_text_source)
    SELECT %(user)s, id, 'succeeded', 'url', 'https://example.com/', 'extracted_from_url' FROM numbers
"""
ENTER = """
    INSERT INTO library_media (library_id, media_id) SELECT %(library)s, media_id FROM items ON CONFLICT DO NOTHING
"""
# Four colours, a quarter with a note, every tenth with a tag, every thousandth with a rare one and a rare word.
MARK = """
    INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset, end_fragment,
                            end_offset, quote, prefix, suffix, color, state, words, note, created_at)
    SELECT library_id, media_id, 1, 1, 0, n * 50, 0, n * 50 + 45, repeat('word ', 9), '', '',
           (ARRAY['yellow', 'green', 'blue', 'pink'])[1 + n %% 4], 'attached',
           CAST(CASE WHEN row_number() OVER () %% 1000 = 0 THEN 'word rare' ELSE 'word' END AS tsvector),
           CASE WHEN n %% 4 = 0 THEN 'A note' END, now() - interval '1 day' - random() * interval '5 years'
    FROM library_media, generate_series(1, %(each)s) AS n WHERE library_id = %(library)s AND NOT has_highlights
"""
TAG = """
    INSERT INTO highlight_tags (library_id, highlight_id, tag_id, created_at)
    SELECT library_id, marked.id, tags.id, marked.created_at
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM highlights) AS marked
    JOIN tags ON tags.name = 'some' AND n %% 10 = 3 OR tags.name = 'few' AND n %% 1000 = 5
    ON CONFLICT DO NOTHING
"""
LISTS: dict[str, dict[str, Any]] = {
    "newest": {},
    "by text": {"sort": "text"},
    "colour": {"color": "blue"},
    "colour, by text": {"color": "blue", "sort": "text"},
    "tag": {"tag": "some"},
    "rare tag": {"tag": "few"},
    "tag and colour": {"tag": "some", "color": "green"},
    "rare tag, by text": {"tag": "few", "sort": "text"},
    "rare word": {"q": "rare "},
    "rare word, by text": {"q": "rare ", "sort": "text"},
    "rare word and tag": {"q": "rare ", "tag": "some"},
    "frequent word": {"q": "word "},
    "frequent word, by text": {"q": "word ", "sort": "text"},
}


def fill(connection: psycopg.Connection, library: UUID, highlights: int, filled: int) -> None:
    values = {"user": USER, "library": library, "each": PER_TEXT}
    connection.execute(FILL, values | {"first": filled // PER_TEXT + 1, "last": highlights // PER_TEXT})
    connection.execute(ENTER, values)
    connection.execute(MARK, values)
    connection.execute(TAG, values)
    connection.execute("VACUUM ANALYZE")


def pages(client: httpx2.Client, connection: psycopg.Connection, times: int) -> dict[str, float]:
    """The second page of each: the first one needs no cursor."""
    figures = {}
    for name, filters in LISTS.items():
        params: dict[str, Any] = filters | {"limit": 20}
        first = client.get("/highlights", params=params).raise_for_status().json()["data"]
        if first["next_cursor"]:
            params["cursor"] = first["next_cursor"]
        ask = lambda params=params: client.get("/highlights", params=params).raise_for_status()  # noqa: E731
        figures[name] = median_ms(times, ask)
    figures["review"] = median_ms(times, lambda: client.get("/highlights/review").raise_for_status())
    row = connection.execute("SELECT media_id FROM library_media WHERE has_highlights LIMIT 1").fetchone()
    assert row is not None
    figures["of a text"] = median_ms(times, lambda: client.get(f"/media/{row[0]}/highlights").raise_for_status())
    place = {"start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 14}}
    made = lambda: client.post(f"/media/{row[0]}/highlights", json=place | {"version": 1}).raise_for_status()  # noqa: E731
    figures["make one"] = median_ms(times, made)
    return figures


def carrying(words: int = 100_000, highlights: int = 2_000) -> dict[str, float]:
    """Seconds of processor time, by the share of words that are different in the new version."""
    chosen = random.Random(1)  # the same text each time
    vocabulary = [f"{number:x}" for number in range(5_000)]
    text = chosen.choices(vocabulary, [1 / (number + 1) for number in range(len(vocabulary))], k=words)
    old = " ".join(text)
    quotes = []
    for _ in range(highlights):
        start = chosen.randrange(len(old) - 400)
        end = start + chosen.choice([5, 20, 60, 200, 400])
        before = old[max(0, start - CONTEXT_CHARS) : start]
        quotes.append(Quote(old[start:end], before, old[end : end + CONTEXT_CHARS], start / len(old)))
    figures: dict[str, float] = {}
    for share in (0.0, 0.001, 0.01, 0.1):
        new = SearchedText(" ".join("other" if chosen.random() < share else word for word in text))
        begin = time.process_time()
        found = sum(new.find(quote) is not None for quote in quotes)
        figures[f"{share:.1%} of the words, {found} found"] = round(time.process_time() - begin, 2)
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--highlights", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options.add_argument("--times", type=int, default=15)
    given = options.parse_args()
    figures: dict[str, Any] = {"2 000 highlights of 100 000 words carried over, s": carrying()}
    print(json.dumps(figures, indent=1), flush=True)
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        connection.execute("SET statement_timeout = 0")
        for name in ("some", "few"):
            client.post("/api/tags", json={"name": name}).raise_for_status()
        filled = 0
        for highlights in given.highlights:
            fill(connection, library, highlights, filled)
            filled = highlights
            figures[f"{highlights} highlights, second page, p50 ms"] = pages(client, connection, given.times)
            print(json.dumps(figures, indent=1), flush=True)
    small, large = (figures[f"{given.highlights[i]} highlights, second page, p50 ms"] for i in (0, -1))
    growth = {name: round(large[name] / small[name], 2) for name in small}
    figures["growth of p50"] = {"worst": max(growth.values()), "median": statistics.median(growth.values()), **growth}
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures["growth of p50"], indent=1))


if __name__ == "__main__":
    main()
