"""Who may read what: a media is readable by a user if and only if it is in a library of theirs.

Parts of SQL statements that bind `:user_id`.
"""

# A condition for a join of `libraries` and `library_media`: the entries of the user's libraries.
IS_OWN_ENTRY = "libraries.id = library_media.library_id AND libraries.owner_user_id = :user_id"
# A condition for `originals`: those that the user may download, of a text that they may read. What a link gave that is
# not the page's own URL (one with a token, one that redirects by who asks) is for its user.
IS_VISIBLE_ORIGINAL = "(originals.is_direct OR originals.fetched_for = :user_id)"


def is_readable(media_id: str) -> str:
    """`media_id`: a column or a parameter of the statement."""
    return f"EXISTS (SELECT FROM library_media, libraries WHERE library_media.media_id = {media_id} AND {IS_OWN_ENTRY})"
