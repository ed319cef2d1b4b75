"""The users a worker served last, so that others come first."""

from uuid import UUID

MAX_SERVED_USERS = 1000


class ServedUsers:
    """The longest ago first, and the latest thousand of them."""

    def __init__(self) -> None:
        self._users: dict[UUID, None] = {}

    def add(self, user_id: UUID) -> None:
        self._users.pop(user_id, None)
        self._users[user_id] = None
        if len(self._users) > MAX_SERVED_USERS:
            del self._users[next(iter(self._users))]

    def ids(self) -> list[UUID]:
        return list(self._users)
