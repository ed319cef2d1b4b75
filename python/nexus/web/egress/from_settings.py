"""An Egress made from the settings."""

from nexus.config import Settings
from nexus.web.egress.client import Egress
from nexus.web.egress.limits import Limits
from nexus.web.public_address import AllowList


def egress_from(
    settings: Settings,
    *,
    waits_for_hosts: bool = True,
    per_host: int | None = None,
) -> Egress:
    return Egress(
        allow=AllowList.parse(settings.egress_exceptions),
        user_agent=settings.worker_user_agent,
        limits=Limits(
            max_bytes=settings.worker_max_bytes,
            connect_seconds=settings.worker_http_connect_timeout,
            read_seconds=settings.worker_http_read_timeout,
            total_seconds=settings.worker_http_total_timeout,
        ),
        per_host=per_host or settings.egress_per_host,
        waits_for_hosts=waits_for_hosts,
    )
