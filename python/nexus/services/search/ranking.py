"""The SQL of a search: which library entries match, in what order, and the best passage of each."""

from functools import lru_cache

from sqlalchemy import TextClause, text

from nexus.services.library.entries import COLUMNS, ENTRIES

# All wanted terms must be found; entries with more of them in the title come first, then the newest.
# Each term is looked up by itself, because a text may have one in its first paragraph and another in its last.
# The cost grows with the number of matches, never with the library: LIMIT 1 keeps the planner, which cannot know how
# frequent a word is, from reading the whole library.
_MATCHING = f"""
    WITH found AS (
        SELECT passage.media_id, count(*) FILTER (WHERE passage.part = 0) AS in_title
        FROM unnest(CAST(:wanted AS text[])) WITH ORDINALITY AS queried(term, number)
        JOIN search_passages AS passage ON passage.words @@ CAST(queried.term AS tsquery)
        GROUP BY passage.media_id HAVING count(DISTINCT queried.number) = cardinality(CAST(:wanted AS text[]))
    ), matching AS (
        SELECT {COLUMNS}, found.in_title
        FROM found CROSS JOIN LATERAL (
            SELECT * FROM library_media WHERE library_id = :library_id AND media_id = found.media_id LIMIT 1
        ) AS entry
        WHERE CONDITIONS entry.media_id NOT IN (
              SELECT passage.media_id FROM unnest(CAST(:unwanted AS text[])) AS excluded(term)
              JOIN search_passages AS passage ON passage.words @@ CAST(excluded.term AS tsquery))
    )
"""  # noqa: S608 - our own constants
RANKED_PAGE = f"""
    {_MATCHING}, page AS (
        SELECT *, count(*) OVER () AS total FROM matching
        WHERE (in_title, created_at, media_id)
              < (CAST(:rank AS bigint), CAST(:before AS timestamptz), CAST(:before_id AS uuid))
        ORDER BY in_title DESC, created_at DESC, media_id DESC LIMIT :limit
    ) {ENTRIES} ORDER BY page.in_title DESC, page.created_at DESC, page.media_id DESC
"""  # noqa: S608 - our own constants
MATCHING_IDS = f"{_MATCHING} SELECT media_id FROM matching LIMIT :most"  # noqa: S608
# Of each media the passage with most of the terms, as its fragments, and only so much of their text.
BEST_PASSAGES = text("""
    SELECT page.media_id, fragments.idx, fragments.start_ms, begin.start,
           substr(fragments.canonical_text, begin.start + 1, :chars) AS words
    FROM unnest(CAST(:ids AS uuid[])) AS page(media_id)
    CROSS JOIN LATERAL (
        SELECT passage.first_fragment, passage.first_start, passage.last_fragment
        FROM search_passages AS passage
        CROSS JOIN LATERAL (
            SELECT count(*) AS terms FROM unnest(CAST(:wanted AS text[])) AS queried(term)
            WHERE passage.words @@ CAST(queried.term AS tsquery)
        ) AS matched
        WHERE passage.media_id = page.media_id AND passage.part >= 2 AND matched.terms > 0
        ORDER BY matched.terms DESC, passage.part LIMIT 1
    ) AS best
    JOIN media ON media.id = page.media_id
    JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
        AND fragments.idx BETWEEN best.first_fragment AND best.last_fragment
    CROSS JOIN LATERAL (
        SELECT CASE fragments.idx WHEN best.first_fragment THEN best.first_start ELSE 0 END AS start
    ) AS begin
    ORDER BY page.media_id, fragments.idx
""")


@lru_cache(maxsize=256)
def ranked_page(conditions: str) -> TextClause:
    """`conditions`: of a row of library_media that is named `entry`, each followed by AND."""
    return text(RANKED_PAGE.replace("CONDITIONS ", conditions))


@lru_cache(maxsize=256)
def matching_ids(conditions: str) -> TextClause:
    return text(MATCHING_IDS.replace("CONDITIONS ", conditions))
