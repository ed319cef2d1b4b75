"""The NOTIFY channels. The triggers of the schema send on them under the same names."""

QUEUE = "nexus_work"  # an item became due; no payload
STATUS = "nexus_status"  # "<user id>:<what changed>"
SEARCH = "nexus_search"  # an entry changed; no payload
