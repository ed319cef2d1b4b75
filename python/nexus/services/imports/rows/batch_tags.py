"""The tags of a user while a batch is applied: those that are there, and those that it makes."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from nexus.services.library.tag_names import TagName
from nexus.services.library.tags import MAX_TAGS


@dataclass
class BatchTags:
    known: dict[str, UUID]  # by key
    new: dict[UUID, TagName] = field(default_factory=dict)

    def get_or_create(self, name: TagName) -> UUID | None:
        """Its id; None if the user has the maximum number of tags."""
        if name.key not in self.known:
            if len(self.known) >= MAX_TAGS:
                return None
            self.known[name.key] = made = uuid4()
            self.new[made] = name
        return self.known[name.key]
