from __future__ import annotations

import pytest

from knowledge_sync.parsers import kind_of, parse
from onthoud.errors import PermanentError
from onthoud.memory.knowledge.chunks import Document
from onthoud.ports.objects import ObjectBody


def parsed(key: str, body: bytes | str, content_type: str = "") -> Document:
    raw = body.encode() if isinstance(body, str) else body
    return parse(ObjectBody(key, "etag", content_type, raw))


def outline(document: Document) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(section.path, section.blocks) for section in document.sections]


def pdf(*pages: str, bookmarks: tuple[tuple[str, int], ...] = ()) -> bytes:
    """A PDF of one line of Helvetica per line of text."""
    from io import BytesIO

    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(600, 800)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): writer._add_object(font)})}
        )
        stream = DecodedStreamObject()
        lines = " ".join(f"({line}) Tj 0 -20 Td" for line in text.split("\n"))
        stream.set_data(f"BT /F1 12 Tf 50 700 Td {lines} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    for title, page_number in bookmarks:
        writer.add_outline_item(title=title, page_number=page_number)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_markdown_keeps_its_headings_lists_tables_and_code() -> None:
    document = parsed(
        "handbook.md",
        "# Handbook\n\nFor *members*.\n\n## Prices\n\n| Court | Euro |\n|---|---|\n| 1 | 20 |\n\n"
        "- first [link](https://x.test)\n- second\n\n### Discounts\n\n```\nCODE10\n```\n\n## Rules\n\nOne\ntwo.",
    )
    assert document.title == "Handbook"
    assert outline(document) == [
        ((), ("For members.",)),
        (("Prices",), ("Court | Euro\n1 | 20", "- first link\n- second")),
        (("Prices", "Discounts"), ("CODE10",)),
        (("Rules",), ("One two.",)),
    ]


def test_front_matter_names_the_document_and_is_not_its_text() -> None:
    document = parsed("a/b.md", '---\ntitle: "The rules"\ndraft: no\n---\n\n# One\n\nx\n\n# Two\n\ny\n')
    assert document.title == "The rules"
    assert outline(document) == [(("One",), ("x",)), (("Two",), ("y",))]


def test_several_top_headings_are_sections_and_the_name_is_the_title() -> None:
    document = parsed("club_house-rules.md", "# One\n\nx\n\n# Two\n\ny\n")
    assert document.title == "club house rules"


def test_html_is_what_a_reader_sees_of_the_main_part() -> None:
    document = parsed(
        "p.html",
        "<html><head><title>Prices - Club</title><style>p{}</style></head><body><nav>Home Contact</nav><main>"
        "<h1>Prices</h1><p>An hour costs<br>20&nbsp;euros.</p><div><h2>Under 12</h2>Half <b>price</b>."
        "<ul><li>Monday</li><li>Tuesday</li></ul></div><table><tr><th>Court</th><td>20</td></tr></table>"
        "<script>alert('x')</script></main><footer>Imprint</footer></body></html>",
        "text/html; charset=utf-8",
    )
    assert document.title == "Prices"
    assert outline(document) == [
        ((), ("An hour costs\n20 euros.",)),
        (("Under 12",), ("Half price.", "- Monday\n- Tuesday", "Court | 20")),
    ]


def test_html_without_headings_is_titled_by_its_title() -> None:
    document = parsed("x.htm", "<title>Opening hours</title><p>From seven.</p>")
    assert (document.title, outline(document)) == ("Opening hours", [((), ("From seven.",))])


def test_plain_text_is_cut_at_blank_lines() -> None:
    document = parsed("faq.txt", "One\r\nline.\r\n\r\nTwo.")
    assert outline(document) == [((), ("One\nline.", "Two."))]


def test_a_pdf_is_read_page_by_page() -> None:
    document = parsed("rules.pdf", pdf("Courts close at ten.", "Bring clean shoes."))
    assert outline(document) == [(("Page 1",), ("Courts close at ten.",)), (("Page 2",), ("Bring clean shoes.",))]


def test_a_pdf_with_an_outline_is_cut_by_it() -> None:
    body = pdf("Intro words\nPrices\nTwenty euros.", "Shoes\nClean soles.", bookmarks=(("Prices", 0), ("Shoes", 1)))
    assert outline(parsed("rules.pdf", body)) == [
        ((), ("Intro words",)),
        (("Prices",), ("Twenty euros.",)),
        (("Shoes",), ("Clean soles.",)),
    ]


@pytest.mark.parametrize(
    ("key", "content_type", "body", "kind"),
    [
        ("a", "application/pdf", b"", "pdf"),
        ("a.txt", "", b"%PDF-1.7", "pdf"),
        ("a.MD", "binary/octet-stream", b"", "markdown"),
        ("a.md", "text/plain", b"", "markdown"),
        ("a", "text/html; charset=utf-8", b"", "html"),
        ("a", "text/csv", b"", "text"),
    ],
)
def test_the_kind_is_told_by_the_bytes_the_name_and_the_type(
    key: str, content_type: str, body: bytes, kind: str
) -> None:
    assert kind_of(ObjectBody(key, "e", content_type, body)) == kind


@pytest.mark.parametrize(
    ("key", "body", "reason"),
    [
        ("photo.jpg", b"\xff\xd8", "are not read"),
        ("a.txt", b"\xff\xfa\x00", "not text in UTF-8"),
        ("a.pdf", b"%PDF-1.7 broken", "damaged"),
        ("a.md", b"\n\n", "holds no text"),
        ("a.html", b"<div>" * 5000 + b"x", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_says_why(key: str, body: bytes, reason: str) -> None:
    with pytest.raises(PermanentError, match=reason):
        parsed(key, body)


def test_an_encrypted_pdf_says_so() -> None:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("secret"))))
    writer.encrypt("password", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    with pytest.raises(PermanentError, match="encrypted"):
        parsed("a.pdf", out.getvalue())
