"""Pydantic's complaints as the middle of a sentence of ours."""

from collections.abc import Mapping
from typing import Any


def reason_of(problem: Mapping[str, Any]) -> str:
    reason = str(problem["msg"]).removeprefix("Value error, ")
    return reason.replace("Input should be", "it should be").removesuffix(".")
