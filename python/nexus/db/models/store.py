from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index, LargeBinary, UniqueConstraint, true
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Created


class BlobRow(Base):
    """Bytes in the store, or on their way into it. A row that names them has a foreign key to this one."""

    __tablename__ = "blobs"
    __table_args__ = (Index("ix_blobs_problem", "sha256", postgresql_where=sql("problem IS NOT NULL")),)

    sha256: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    size: Mapped[BigCount]
    created_at: Mapped[Created]
    touched_at: Mapped[Created]  # when it was put last
    problem: Mapped[str | None]  # what reading or checking it found


class StoreIdentity(Base):
    """Which store belongs to this database; the same id is in the store's marker."""

    __tablename__ = "store_identity"
    __table_args__ = (UniqueConstraint("the_only_one"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    the_only_one: Mapped[bool] = mapped_column(server_default=true())


class StoreCheck(Base):
    """One run of `nexus store check`; without an end it goes on after `position`."""

    __tablename__ = "store_checks"
    __table_args__ = (
        Index("uq_store_checks_unfinished", sql("(finished_at IS NULL)"), unique=True,
              postgresql_where=sql("finished_at IS NULL")),
    )  # fmt: skip

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    started_at: Mapped[Created]
    finished_at: Mapped[datetime | None]
    position: Mapped[bytes | None] = mapped_column(LargeBinary)
    blobs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    missing: Mapped[int] = mapped_column(BigInteger, server_default="0")
    damaged: Mapped[int] = mapped_column(BigInteger, server_default="0")


class StoreCollection(Base):
    """One run of the collection; without an end it goes on after `position` of its phase."""

    __tablename__ = "store_collections"
    __table_args__ = (
        Index("uq_store_collections_unfinished", sql("(finished_at IS NULL)"), unique=True,
              postgresql_where=sql("finished_at IS NULL")),
    )  # fmt: skip

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    started_at: Mapped[Created]
    finished_at: Mapped[datetime | None]
    phase: Mapped[str] = mapped_column(server_default="rows")  # rows that nothing names, then objects without a row
    position: Mapped[bytes] = mapped_column(LargeBinary, server_default="")
    blobs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    strays: Mapped[int] = mapped_column(BigInteger, server_default="0")
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    leftovers: Mapped[int] = mapped_column(BigInteger, server_default="0")
