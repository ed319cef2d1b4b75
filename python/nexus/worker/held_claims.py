"""The claims that a worker holds, each until its result is written or it is released."""

import threading
from collections import Counter
from collections.abc import Sequence

import ada_url

from nexus.services.lifecycle import Claim, Shares


class HeldClaims:
    def __init__(self, size: int) -> None:
        self._size = size
        self._held: set[Claim] = set()
        self._changed = threading.Condition()

    def free(self) -> int:
        with self._changed:
            return self._size - len(self._held)

    def held(self) -> list[Claim]:
        with self._changed:
            return list(self._held)

    def has_full_share(self, shares: Shares) -> bool:
        """Whether a user, a host or imports have used up their share, so that more may be due than was claimed."""
        with self._changed:
            if sum(claim.priority for claim in self._held) >= shares.imported:
                return True
            users = Counter((claim.user_id, claim.priority) for claim in self._held)
            hosts = Counter(ada_url.URL(claim.url).host for claim in self._held)
        return any(held >= shares.user for held in users.values()) or any(
            held >= shares.host for held in hosts.values()
        )

    def add(self, claims: Sequence[Claim]) -> None:
        with self._changed:
            self._held.update(claims)

    def release(self, claims: Sequence[Claim]) -> None:
        with self._changed:
            self._held.difference_update(claims)
            self._changed.notify_all()

    def wait_until_empty(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._held, timeout=seconds)
