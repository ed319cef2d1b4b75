"""Pydantic's messages as a part of our sentences."""

from collections.abc import Mapping
from typing import Any


def reason_of(problem: Mapping[str, Any]) -> str:
    reason = str(problem["msg"]).removeprefix("Value error, ")
    return reason.replace("Input should be", "it should be").removesuffix(".")
