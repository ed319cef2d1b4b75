"""The order that tables, definition lists and figures must have."""

from lxml import etree


def repair_structure(root: etree._Element) -> None:
    for table in list(root.iter("table")):
        _order_table(table)
    for terms in list(root.iter("dl")):
        _complete_terms(terms)
    for figure in list(root.iter("figure")):
        _order_figure(figure)
    for made in root.iter():
        if made.get("made"):
            del made.attrib["made"]


def _order_table(table: etree._Element) -> None:
    """One caption, one head, bodies, one foot."""
    by_tag: dict[str, list[etree._Element]] = {"caption": [], "thead": [], "tbody": [], "tfoot": []}
    for part in list(table):
        by_tag[str(part.tag)].append(part)
        part.tail = None
        table.remove(part)
    for more in by_tag["caption"][1:]:
        _join_captions(by_tag["caption"][0], more)
    for extra in (*by_tag["thead"][1:], *by_tag["tfoot"][:-1]):
        extra.tag = "tbody"
    rows = [*by_tag["thead"][1:], *by_tag["tbody"], *by_tag["tfoot"][:-1]]
    head, foot = by_tag["thead"][:1], by_tag["tfoot"][-1:]
    table.extend([*by_tag["caption"][:1], *(each for each in (*head, *rows, *foot) if len(each))])


def _join_captions(first: etree._Element, more: etree._Element) -> None:
    line = etree.SubElement(first, "br")
    line.tail = more.text
    first.extend(list(more))


def _complete_terms(terms: etree._Element) -> None:
    """Each term has a description and each description a term, if only an empty one."""
    before = "dd"
    for child in list(terms):
        if child.tag == "dd" and before == "dd" and child.getprevious() is None:
            child.addprevious(etree.Element("dt"))
        before = str(child.tag)
    if len(terms) and before == "dt":
        etree.SubElement(terms, "dd")


def _order_figure(figure: etree._Element) -> None:
    """One caption, at the beginning or at the end."""
    captions = figure.findall("figcaption")
    for extra in captions[1:]:
        extra.tag = "div"
    if not captions or figure[-1] is captions[0]:
        return
    caption = captions[0]
    if figure[0] is caption and not (figure.text or "").strip():
        return
    after, caption.tail = caption.tail, None
    previous = caption.getprevious()
    figure.remove(caption)
    if after:
        if previous is None:
            figure.text = (figure.text or "") + after
        else:
            previous.tail = (previous.tail or "") + after
    figure.append(caption)
