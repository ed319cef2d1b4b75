"""Write the API's description of itself to docs/reference/openapi.json."""

import json
from pathlib import Path

from nexus.app import create_app
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.http.openapi import full_description

settings = load_settings(
    database_url="postgresql://nobody@nowhere/none",  # never connected to
    output_dir=Path(__file__).parent,  # never written to
    feeds_api=True,
    operator_config_api=True,
    jobs_api=True,
)
description = full_description(create_app(settings, Database(settings)))
target = Path(__file__).parents[1] / "docs/reference/openapi.json"
target.write_text(json.dumps(description, indent=1, ensure_ascii=False) + "\n")
