"""SQL statements for many rows at once, which are passed as one JSON parameter."""

from sqlalchemy import TextClause, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB


def text_with_rows(sql: str) -> TextClause:
    """`:rows` is a list of objects, for `jsonb_to_recordset`."""
    return text(sql).bindparams(bindparam("rows", type_=JSONB))
