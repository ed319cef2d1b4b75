"""The Unix epoch: 1 January 1970, midnight UTC."""

from datetime import UTC, datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
