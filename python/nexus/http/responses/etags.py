"""Whether a client has the current version already (If-None-Match)."""


def matches(if_none_match: str | None, etag: str) -> bool:
    """Weak comparison, as the standard requires for If-None-Match. Our tags contain no comma."""
    offered = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return "*" in offered or etag in offered
