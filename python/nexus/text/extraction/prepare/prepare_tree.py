"""Changes a parsed page in place, so that blocks, features and writer see ordinary HTML."""

from lxml import etree

from nexus.text.extraction.prepare.controls import hide_code_buttons
from nexus.text.extraction.prepare.edits import body_of
from nexus.text.extraction.prepare.element_lists import list_elements
from nexus.text.extraction.prepare.embeds import is_script_embed, replace_embeds
from nexus.text.extraction.prepare.formulas import write_formulas
from nexus.text.extraction.prepare.headings import clean_headings
from nexus.text.extraction.prepare.hidden import hide_unseen
from nexus.text.extraction.prepare.layout_tables import open_layout_tables
from nexus.text.extraction.prepare.noscript import resolve_noscripts
from nexus.text.extraction.prepare.prose import Prose


def prepare_tree(root: etree._Element) -> None:
    """The order matters.

    Formulas come first, since their TeX is mostly in hidden copies. Notices of noscript are gone before hidden text is
    compared with the text of the whole page. Headings, tables and embeds are read last, without what nobody sees. The
    head is left alone.
    """
    body = body_of(root)
    found = list_elements(body)
    write_formulas(found.formulas)
    prose = Prose(body)
    resolve_noscripts(found.noscripts, prose)
    hide_unseen(found.hidden, prose)
    clean_headings(found.headings, found.heading_links)
    hide_code_buttons(found.buttons)
    replace_embeds([*found.embeds, *(each for each in found.formulas if is_script_embed(each))])
    open_layout_tables(table for table in found.tables if table.tag == "table")
