from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, DateTime, MetaData, Text, Uuid, func
from sqlalchemy.orm import DeclarativeBase, mapped_column

NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}

Id = Annotated[UUID, mapped_column(Uuid, primary_key=True, default=uuid4, server_default=func.gen_random_uuid())]
Created = Annotated[datetime, mapped_column(server_default=func.now())]
# A trigger sets it, for every writer.
Updated = Annotated[datetime, mapped_column(server_default=func.now(), server_onupdate=func.now())]
Count = Annotated[int, mapped_column(server_default="0")]
BigCount = Annotated[int, mapped_column(BigInteger)]


class Base(DeclarativeBase):
    """The tables as Python sees them. What each one refuses is written in the migrations."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map: dict[Any, Any] = {datetime: DateTime(timezone=True), str: Text()}  # noqa: RUF012
