"""EPUB and DOCX files made by hand, entry by entry."""

from collections.abc import Mapping, Sequence

from tests.documents.files import packed

CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{}</body></html>'
PAGE_ITEM = '<item id="{name}" href="{name}" media-type="application/xhtml+xml"{more}/>'
LINEAR = ' linear="no"'
NAV = '<nav epub:type="toc"><ol>{}</ol></nav>'
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MARKUP = "http://schemas.openxmlformats.org/markup-compatibility/2006"
SHAPES = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
OVERRIDE = '<Override PartName="/word/{}.xml" ContentType="{}.{}+xml"/>'
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def epub(
    pages: Mapping[str, str], nav: str = "", ncx: str = "", more: str = "", asides: Sequence[str] = (), lost: str = ""
) -> bytes:
    """Return an EPUB of pages in their order.

    Args:
        pages: the inside of each page's body by its name.
        nav: the items of the navigation document, as HTML.
        ncx: the points of the NCX, as XML.
        more: more of the package's metadata.
        asides: pages that are not in the order of reading.
        lost: an item of the manifest whose file is missing.
    """
    items = "".join(PAGE_ITEM.format(name=name, more="") for name in pages)
    items += PAGE_ITEM.format(name="nav.xhtml", more=' properties="nav"') if nav else ""
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    items += f'<item id="lost" href="{lost}" media-type="font/otf"/>' if lost else ""
    spine = "".join(f'<itemref idref="{name}"{LINEAR if name in asides else ""}/>' for name in pages)
    toc = ' toc="ncx"' if ncx else ""
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        f"<metadata>{more}</metadata><manifest>{items}</manifest><spine{toc}>{spine}</spine></package>"
    )
    entries = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": package}
    entries |= {f"OPS/{name}": XHTML.format(page) for name, page in pages.items()}
    if nav:
        entries["OPS/nav.xhtml"] = XHTML.format(NAV.format(nav))
    if ncx:
        entries["OPS/toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
    return packed(dict(entries))


def point(title: str, href: str, inner: str = "") -> str:
    """Return a point of an NCX."""
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{href}"/>{inner}</navPoint>'


def run(text: str) -> str:
    """Return a run of text of a DOCX."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str, style: str = "") -> str:
    """Return a paragraph of a DOCX."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{''.join(runs)}</w:p>"


def table(*rows: Sequence[str]) -> str:
    """Return a table of a DOCX."""
    cells = ("".join(f"<w:tc>{paragraph(run(cell))}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def text_box(text: str, *, fallback: bool = True) -> str:
    """Return a run with a text box, as Word writes it: twice, for new and for old programs, or for new ones alone."""
    content = f"<w:txbxContent>{paragraph(run(text))}</w:txbxContent>"
    box = f'<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox>{content}</v:textbox></v:shape>'
    old = f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>" if fallback else ""
    shape = f'<wps:wsp xmlns:wps="{SHAPES}"><wps:txbx>{content}</wps:txbx></wps:wsp>'
    new = f'<mc:Choice Requires="wps"><w:drawing>{shape}</w:drawing></mc:Choice>'
    return f'<w:r><mc:AlternateContent xmlns:mc="{MARKUP}">{new}{old}</mc:AlternateContent></w:r>'


def docx(*blocks: str, notes: Mapping[int, str] | None = None, styles: Mapping[str, str] | None = None) -> bytes:
    """Return a DOCX of raw blocks, with footnotes by their numbers and the names of styles by their ids."""
    footnotes = "".join(
        f'<w:footnote w:id="{number}">{paragraph(run(text))}</w:footnote>' for number, text in (notes or {}).items()
    )
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/></w:style>'
        for id, name in (styles or {}).items()
    )
    parts = {
        "document": f'<w:document xmlns:w="{WORD}"><w:body>{"".join(blocks)}</w:body></w:document>',
        "footnotes": f'<w:footnotes xmlns:w="{WORD}">{footnotes}</w:footnotes>',
        "styles": f'<w:styles xmlns:w="{WORD}">{named}</w:styles>',
    }
    kinds = {name: "document.main" if name == "document" else name for name in parts}
    types = "".join(OVERRIDE.format(name, MAIN_TYPE, kind) for name, kind in kinds.items())
    inner = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{name}" Target="{name}.xml"/>' for name in ("footnotes", "styles")
    )
    office = f'<Relationship Id="d" Type="{RELATIONS}/officeDocument" Target="word/document.xml"/>'
    extensions = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return packed(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{extensions}{types}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{office}</Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>',
            **{f"word/{name}.xml": content for name, content in parts.items()},
        }
    )
