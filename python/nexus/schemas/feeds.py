from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

COMMENT = "_comment"
MAX_COMMENTS = 100
MAX_COMMENT_KEY = 100  # a key of a YAML file ends within 1 024 characters, ten for each that must be escaped


class Feeds(BaseModel):
    path: str = Field(description="The corpus directory.")
    file_relpath: str = Field(description="The feeds spec inside it.")
    feeds: list[str | dict[str, Any]] = Field(description="An address, or an object with url and what differs for it.")


class FeedsChange(BaseModel):
    """Keys that begin with ``_comment`` may stand beside ``feeds``, at most 100; they are kept in the file."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"additionalProperties": True, "propertyNames": {"pattern": f"^(feeds$|{COMMENT})"}},
    )
    __pydantic_extra__: dict[str, Annotated[str, Field(max_length=10_000)]]

    feeds: list[Any] = Field(description="The whole new list. Two entries with the same address count once.")

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, body: Any) -> Any:
        if isinstance(body, dict):
            if len(body) > MAX_COMMENTS + 1:
                raise ValueError(f"more than {MAX_COMMENTS} keys '{COMMENT}…' are not taken")
            for key in body:
                if key != "feeds" and not key.startswith(COMMENT):
                    shown = key[:100].encode("utf-8", "backslashreplace").decode()  # it may hold what is no text
                    raise ValueError(f"the key '{shown}' is not known; there are 'feeds' and '_comment…'")
                if len(key) > MAX_COMMENT_KEY:
                    raise ValueError(f"a key '{COMMENT}…' has at most {MAX_COMMENT_KEY} characters")
        return body

    @property
    def comments(self) -> dict[str, str]:
        return self.__pydantic_extra__ or {}
