"""The columns of a claim, the same in all queues: items, pictures and exports."""

UNCLAIMED = "claimed_by = NULL, claimed_at = NULL, lease_until = NULL"
