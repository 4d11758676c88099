"""A headless Chromium for tests of pages, and what is asked of every page."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")

# every text with a colour and what lies behind it, as (ratio, needed, words)
CONTRAST = """() => {
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => {
    const [r, g, b] = parts(c).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parts(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0.99) return getComputedStyle(e).backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const seen = e.checkVisibility() && !e.closest("script, style, .spoken");
    if (!own || !seen) continue;
    const style = getComputedStyle(e);
    const text = e instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(text), light(behind(e))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), e.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""


@contextmanager
def chromium():
    """The browser, or a skip that says what is missing."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install frankwolfe[test]"
    )
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(
            f"there is no browser: none of {', '.join(NAMES)} is on the path (make browser)"
        )
    with api.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except api.Error as error:  # a stub that asks for another package manager, say
            pytest.skip(f"{path} does not start: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@contextmanager
def visit(browser, path, **options):
    """A page without network; any request but for the file, or any error, fails the test."""
    options = {"viewport": {"width": 1100, "height": 900}} | options
    context = browser.new_context(**options)
    context.set_offline(True)
    page, troubles = context.new_page(), []
    page.on("console", lambda m: troubles.append(m.text) if m.type != "log" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda r: _only(r.url, path, troubles))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert not troubles


def _only(url, path, troubles):
    if url != path.as_uri() and not url.startswith("data:"):
        troubles.append(f"asked for {url}")


def check_page(page):
    """What must be true of any page at its size: nothing sticks out, all has words."""
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.images].every((i) => i.alt.trim() && i.naturalWidth > 0)")
    assert page.locator("table").count() == page.locator("table:has(caption):has(th)").count()
    heads = "[...document.querySelectorAll('th')].every((t) => ['col', 'row'].includes(t.scope))"
    assert page.evaluate(heads)
    nameless = "[...document.querySelectorAll('button')].filter((b) => !b.textContent.trim())"
    assert page.evaluate(f"{nameless}.length") == 0
    assert page.evaluate("document.querySelectorAll('html[lang] h1').length") == 1
    ids = "[...document.querySelectorAll('[id]')].map((e) => e.id)"
    assert page.evaluate(f"new Set({ids}).size === {ids}.length")


def check_contrast(page):
    """Every text at least 4.5 times as light as what is behind it, or the reverse (WCAG AA)."""
    found = page.evaluate(CONTRAST)
    assert len(found) > 10
    assert [row for row in found if row[0] < 4.5] == []
