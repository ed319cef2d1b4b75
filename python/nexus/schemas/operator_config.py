from pydantic import BaseModel, ConfigDict, Field


class OperatorConfigBody(BaseModel):
    corpus_path: str
    operator_config_path: str = Field(description="The file; settled when the server started.")
    content: str = Field(description="Its YAML, byte for byte.")
    available_profiles: list[str]


class OperatorConfigChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: str = Field(description="The whole new YAML, stored as it is given. Empty text stores an empty file.")


class Profiles(BaseModel):
    available_profiles: list[str]
