"""Profiles, named sets of defaults: ``config/profiles/NAME.yaml``, packaged and in the working directory."""

import re
from pathlib import Path
from typing import Any

from nexus.errors import PodcastConfigError
from nexus.podcasts.yaml_document import read_yaml_mapping

PACKAGED = Path(__file__).parent / "profiles"  # in a checkout, config/profiles is a symbolic link to it
NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


def profile_folders() -> list[Path]:
    """The working directory first: its files replace packaged ones of the same name."""
    return [folder for folder in (Path("config/profiles").absolute(), PACKAGED) if folder.is_dir()]


def available_profiles() -> list[str]:
    stems = {path.stem for folder in profile_folders() for path in folder.glob("*.yaml")}
    return sorted(stem for stem in stems if NAME.fullmatch(stem) and not stem.endswith(".example"))


def load_profile(name: str) -> dict[str, Any]:
    available = available_profiles()
    if name not in available:  # only a name from the list ever becomes part of a path
        names = f"there are {', '.join(available)}" if available else "there are none"
        raise PodcastConfigError(f"There is no profile {name!r}; {names}.", key="profile")
    path = next(path for folder in profile_folders() if (path := folder / f"{name}.yaml").is_file())
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PodcastConfigError(f"Cannot read the profile {path}: {error}.", key="profile") from error
    return read_yaml_mapping(text, name=f"profile {name}")
