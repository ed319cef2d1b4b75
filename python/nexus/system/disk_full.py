"""How the system says that nothing more can be written."""

from errno import EDQUOT, EFBIG, ENOSPC

# The disk, the user's quota, or the largest file that is allowed.
DISK_FULL_ERRNOS = frozenset({ENOSPC, EDQUOT, EFBIG})
