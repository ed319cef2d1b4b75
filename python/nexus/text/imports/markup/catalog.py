"""The formats of this package, from the more particular to the more general."""

from nexus.text.imports.format import Format
from nexus.text.imports.markup.link_pages import INSTAPAPER_HTML, POCKET_HTML
from nexus.text.imports.markup.medium import MEDIUM
from nexus.text.imports.markup.netscape import BOOKMARKS
from nexus.text.imports.markup.opml import OPML
from nexus.text.imports.markup.pinboard_xml import PINBOARD_XML

MARKUP_FORMATS: tuple[Format, ...] = (MEDIUM, POCKET_HTML, INSTAPAPER_HTML, BOOKMARKS, OPML, PINBOARD_XML)
