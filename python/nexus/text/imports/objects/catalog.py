"""The formats of this package. Each JSON file is recognised by its keys, so their order does not matter."""

from nexus.text.imports.format import Format
from nexus.text.imports.objects.any_list import ANY_LIST
from nexus.text.imports.objects.bookmark_services import DELICIOUS, GOODLINKS, PINBOARD, READABILITY
from nexus.text.imports.objects.bookmark_trees import CHROME, FIREFOX
from nexus.text.imports.objects.feed_readers import FEEDBIN, FRESHRSS, GOOGLE_READER, MINIFLUX
from nexus.text.imports.objects.karakeep import KARAKEEP
from nexus.text.imports.objects.linkwarden import LINKWARDEN
from nexus.text.imports.objects.omnivore import OMNIVORE
from nexus.text.imports.objects.readeck import READECK
from nexus.text.imports.objects.wallabag import WALLABAG

OBJECT_FORMATS: tuple[Format, ...] = (
    OMNIVORE,
    READECK,
    WALLABAG,
    KARAKEEP,
    LINKWARDEN,
    PINBOARD,
    DELICIOUS,
    GOODLINKS,
    READABILITY,
    CHROME,
    FIREFOX,
    FRESHRSS,  # before the form that it shares with others
    GOOGLE_READER,
    FEEDBIN,
    MINIFLUX,
    ANY_LIST,
)
