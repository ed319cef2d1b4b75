"""The only code that changes ``items.status`` and ``media.processing_status``: always both, in one transaction.

Locks are taken in one order, so that there are no deadlocks: media in the order of their ids, all of them in one
statement, then items. Claim, heartbeat and sweep skip locked rows instead of waiting.
"""

from nexus.services.lifecycle.claims import Shares, are_items_due, claim, claim_media, count_queue, heartbeat, release
from nexus.services.lifecycle.fetch_again import FetchAgain, fetch_again, is_fetching_again, save_failed_again
from nexus.services.lifecycle.private_texts.keep import keep_text
from nexus.services.lifecycle.private_texts.pastes import add_pasted_media, paste_text, store_paste
from nexus.services.lifecycle.records import (
    Article,
    AttemptRecord,
    Claim,
    Failed,
    Failure,
    Outcome,
    Postponed,
    Result,
    Succeeded,
)
from nexus.services.lifecycle.removal import lock_removed, remove_item, remove_many, remove_media
from nexus.services.lifecycle.retry import can_retry, retry_imported, retry_media
from nexus.services.lifecycle.settlement import settle
from nexus.services.lifecycle.sweep import requeue_lost_items
from nexus.services.lifecycle.versions import reread

__all__ = [
    "Article",
    "AttemptRecord",
    "Claim",
    "Failed",
    "Failure",
    "FetchAgain",
    "Outcome",
    "Postponed",
    "Result",
    "Shares",
    "Succeeded",
    "add_pasted_media",
    "are_items_due",
    "can_retry",
    "claim",
    "claim_media",
    "count_queue",
    "fetch_again",
    "heartbeat",
    "is_fetching_again",
    "keep_text",
    "lock_removed",
    "paste_text",
    "release",
    "remove_item",
    "remove_many",
    "remove_media",
    "requeue_lost_items",
    "reread",
    "retry_imported",
    "retry_media",
    "save_failed_again",
    "settle",
    "store_paste",
]
