from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Created


class Worker(Base):
    """A process that works on the queue, as long as it has a heartbeat."""

    __tablename__ = "workers"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    engine: Mapped[str]
    host: Mapped[str]
    can_render: Mapped[bool]
    sandbox: Mapped[bool] = mapped_column(server_default="true")
    started_at: Mapped[Created]
    seen_at: Mapped[Created]
