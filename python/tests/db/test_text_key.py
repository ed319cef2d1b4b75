import pytest
from psycopg import Connection

from nexus.db.text_key import text_key


@pytest.mark.parametrize("value", ["", "https://example.org/", "ä € 𝄞", "x" * 100_000])
def test_text_key_is_that_of_the_schema(connection: Connection, value: str) -> None:
    assert connection.execute("SELECT text_key(%s)", [value]).fetchone() == (text_key(value),)
