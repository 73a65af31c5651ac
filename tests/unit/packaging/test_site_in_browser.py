"""The documentation site in Chromium, opened from its files: search, links and pictures, both themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import IS_HERE, Browser, browser, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not IS_HERE, reason="needs Chromium and its driver"),
]
PAGE = """
return {
    title: document.title,
    links: [...document.querySelectorAll("a[href]")].map(link => link.href).filter(link => link.startsWith("file:")),
    anchors: [...document.querySelectorAll("[id]")].map(element => element.id),
    broken: [...document.images].filter(one => one.loading != "lazy" && !one.naturalWidth).map(one => one.src),
    loaded: performance.getEntriesByType("resource").map(entry => entry.name),
}"""
COLOURS = """
const number = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
const style = getComputedStyle(document.body);
return [number(style.color), number(style.backgroundColor)]"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def pages(site: Path, chromium: Browser) -> dict[str, dict[str, Any]]:
    """What the browser makes of each page, by its address."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        chromium.open(path.as_uri())
        found[path.as_uri()] = chromium.run(PAGE)
    assert len(found) > 20
    return found


def test_no_link_leads_nowhere(pages: dict[str, dict[str, Any]]) -> None:
    for address, page in pages.items():
        for link in page["links"]:
            target, _, anchor = link.partition("#")
            target = target.partition("?")[0]
            assert Path(target.removeprefix("file://")).is_file(), (address, link)
            if anchor and target in pages:
                assert anchor in pages[target]["anchors"], (address, link)


def test_pictures_are_seen_and_nothing_comes_from_elsewhere(
    pages: dict[str, dict[str, Any]], chromium: Browser
) -> None:
    for address, page in pages.items():
        assert page["title"]
        assert page["broken"] == [], address
        assert [name for name in page["loaded"] if not name.startswith(("file:", "data:"))] == [], address
    assert chromium.errors() == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [("certificate", "guide/read-the-certificate.html"), ("--calibrate", "reference/commands.html")],
)
def test_search_finds_a_page(site: Path, chromium: Browser, words: str, expected: str) -> None:
    chromium.open((site / "index.html").as_uri())
    chromium.run(
        """const field = document.querySelector("form.sidebar-search-container input[name=q]");
        field.value = arguments[0];
        field.form.submit()""",
        words,
    )
    results = 'return [...document.querySelectorAll("#search-results li a")].map(one => one.href.split("#")[0])'
    until(lambda: (site / expected).as_uri() in chromium.run(results), expected)
    assert chromium.errors() == []


def test_nothing_is_found_of_what_is_nowhere(site: Path, chromium: Browser) -> None:
    chromium.open((site / "search.html").as_uri() + "?q=zyzzyva")
    until(lambda: "did not match" in chromium.run("return document.body.innerText"), "a sentence")


def luminance(colour: list[float]) -> float:
    """Of WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_both_themes_follow_the_system_and_can_be_read(site: Path, chromium: Browser) -> None:
    chromium.open((site / "index.html").as_uri())
    grounds = {}
    for scheme in ("light", "dark"):
        chromium.prefer(scheme)
        text, ground = (luminance(colour) for colour in chromium.run(COLOURS))
        assert (max(text, ground) + 0.05) / (min(text, ground) + 0.05) >= 7
        grounds[scheme] = ground
    assert grounds["light"] > 0.8
    assert grounds["dark"] < 0.05


def test_the_button_changes_the_theme(site: Path, chromium: Browser) -> None:
    chromium.prefer("light")
    chromium.open((site / "index.html").as_uri())
    seen = set()
    for _ in range(3):  # the system's, light, dark
        chromium.run('[...document.querySelectorAll("button.theme-toggle")].at(-1).click()')
        seen.add(luminance(chromium.run(COLOURS)[1]) > 0.5)
    assert seen == {True, False}
