"""Reports: what is in the file, and what a browser makes of it."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from browser import check_contrast, check_page, chromium, visit

import frankwolfe as fw
from frankwolfe.visual.report import Report, Series, machine, runs
from frankwolfe.visual.report.curves import _kept
from frankwolfe.visual.report.markup import inline_json

K = np.arange(1, 201)
PHONE = {"width": 390, "height": 844}
NASTY = "</script><script>alert('&')</script> <b>\u2028"


def example() -> Report:
    report = Report("A report about <curves>", lead="Two curves and a bound.")
    report.add_heading("Curves")
    report.add_text("A paragraph with `code`.\n\nAnother one, 1 < 2.")
    x = {"iteration": K, "seconds": K * 1e-3}
    report.add_curves(
        "Errors",
        [
            Series("fast", x, 1.0 / K**2.0, low=0.5 / K**2.0, high=2.0 / K),
            Series("slow", x, 100.0 / K),
            Series("bound", x, 300.0 / K, quiet=True),
            Series("waits", x, 1000.0 + 0.0 * K, hidden=True),
        ],
        y="error",
        caption="What they show.",
    )
    report.add_curves("One more", {NASTY: (K, np.log(K) - 3)}, x="k", y="value", log_y=False)
    report.add_table(
        "Verdicts",
        ["claim", "measured", "count", "verdict"],
        [
            ("the first, with a sentence that is long enough to need a card", "a|b", 3, "holds"),
            ("the second", NASTY, 4_000_000, "does not hold"),
        ],
        marks={"holds": "good", "does not hold": "bad"},
    )
    report.add_table("Wide", [f"column {i}" for i in range(12)], [[1.5e-9 * i for i in range(12)]])
    report.add_setup(seeds="1, 2", data=f"sha256 `{'0123456789abcdef' * 4}`")
    report.add_commands(
        "frankwolfe reproduce --a-very-long-option-that-does-not-fit-a-phone=1 " * 2
    )
    return report


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return example().write(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser, path):
    with visit(browser, path) as found:
        yield found


def ticks(page, which, figure=0):
    return page.locator("figure.curves").nth(figure).locator(f".tick-{which}").all_text_contents()


def line(page, name):
    return page.locator(f"path.line[data-series='{name}']").first.get_attribute("d")


def drag(page, start, end):
    """From one place of the first plot to another, in shares of its size."""
    box = page.locator(".plot").first.bounding_box()
    places = [(box["x"] + s * box["width"], box["y"] + t * box["height"]) for s, t in (start, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=4)
    page.mouse.up()


# --- the file


def test_the_file_asks_for_nothing(path):
    text = path.read_text(encoding="utf-8")
    outside = re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*""", text)
    assert outside == []
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest", text)
    assert "default-src 'none'" in text


def test_what_comes_from_outside_is_escaped(path):
    text = path.read_text(encoding="utf-8")
    assert "alert('&')" not in text
    assert text.count("<script") == text.count("</script>") == 3  # two sets of data, one program
    assert json.loads(inline_json({"name": NASTY}))["name"] == NASTY


def test_the_data_in_the_page_are_the_data(path):
    blocks = re.findall(r'application/json">(.*?)</script>', path.read_text(encoding="utf-8"))
    data = json.loads(blocks[0])
    np.testing.assert_allclose(data["series"][0]["y"], 1.0 / K**2.0, rtol=1e-5)
    np.testing.assert_allclose(data["series"][0]["high"], 2.0 / K, rtol=1e-5)
    assert data["series"][0]["x"]["iteration"] == K.tolist()
    assert json.loads(blocks[1])["series"][0]["name"] == NASTY


def test_not_a_number_is_left_out():
    report = Report("A")
    report.add_curves("B", {"c": ([1, 2, 3], [1.0, np.nan, np.inf])})
    block = re.search(r'application/json">(.*?)</script>', report.html())[1]
    assert json.loads(block)["series"][0]["y"] == [1.0, None, None]


def test_long_curves_are_thinned_and_keep_their_jumps():
    k = np.arange(1, 300_001)
    y = np.where(k % 2, 1.0, 1e-3) / k
    kept = _kept(y)
    assert kept.size <= 2000
    assert (np.diff(kept) > 0).all()
    assert {0, y.size - 1} <= set(kept.tolist())
    assert {int(y.argmin()), int(y.argmax())} <= set(kept.tolist())
    # on a logarithmic axis no piece is without both the upper and the lower branch
    for low, high in pairwise(np.geomspace(10, k[-1], 50)):
        inside = kept[(k[kept] >= low) & (k[kept] < high)]
        assert {0, 1} <= set((k[inside] % 2).tolist())


def test_runs_become_curves():
    f, ball = fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0)
    results = {name: fw.minimize(f, ball, method=name, max_iter=20) for name in ("afw", "jacobi")}
    best = fw.minimize(f, ball, tol=1e-14).fun
    for series in runs(results, best):
        history = results[series.name].history
        assert list(series.x) == ["iteration", "seconds"]
        np.testing.assert_array_equal(series.y, history["value"] - best)
        np.testing.assert_array_equal(series.high, history["gap"])
    trace = fw.callbacks.Trace()
    fw.minimize(f, ball, method="afw", max_iter=20, callback=trace)
    assert "passes over the data" in runs({"afw": trace})[0].x


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda r: r.add_curves("a", {}), "one curve at least"),
        (lambda r: r.add_curves("a", {"b": ([1, 2], [1.0])}), "as many values"),
        (lambda r: r.add_curves("a", {"b": ([1], ["x"])}), "must be numbers"),
        (lambda r: r.add_curves("a", {"b": ([[1]], [[1.0]])}), "a list of numbers"),
        (lambda r: r.add_table("a", ["b"], [(1, 2)]), "must have 1 cells"),
        (lambda r: r.add_table("a", ["b"], [(1,)], marks={"1": "blue"}), "good, bad or mixed"),
        (lambda r: r.add_figure("/nowhere.png", "x"), "cannot be read"),
        (lambda r: r.add_figure(__file__, "x"), "PNG"),
        (lambda r: r.add_figure(__file__, " "), "alt must say"),
    ],
)
def test_bad_pieces_get_one_sentence(wrong, words):
    with pytest.raises(fw.InvalidInput, match=words):
        wrong(Report("A"))


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("before")

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(fw.InvalidInput, match="No space left"):
        Report("A").write(target)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(fw.InvalidInput, match="cannot be written"):
        Report("A").write(tmp_path / "no" / "report.html")


# --- in a browser


def test_it_reads_well(page):
    check_page(page)
    assert page.locator("figure.curves > .plot > svg").count() == 2
    assert page.locator("dt", has_text="seeds").count() == 1
    assert page.locator(".legend button").nth(4).text_content() == NASTY


def test_hovering_shows_values(page):
    plot, tip = page.locator(".plot").first, page.locator(".tip").first
    assert tip.is_hidden()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    tip.wait_for(state="visible", timeout=10_000)
    words = tip.locator("div").all_text_contents()
    k = int(re.fullmatch(r"iteration (\d+)", words[0])[1])
    assert 80 < k < 120
    shown = {re.match(r"[a-z]+", w)[0]: w for w in words[1:]}
    assert list(shown) == ["bound", "slow", "fast"]  # as they lie, from above
    assert float(shown["slow"][4:]) == pytest.approx(100 / k, rel=1e-3)
    page.mouse.move(0, 0)
    tip.wait_for(state="hidden", timeout=10_000)


def test_hiding_a_curve(page):
    before = line(page, "fast"), ticks(page, "y")
    assert page.locator("path.line[data-series='waits']").count() == 0
    page.locator(".legend button", has_text="slow").click()
    assert page.locator("path.line[data-series='slow']").count() == 0
    page.locator(".legend button", has_text="bound").click()
    assert ticks(page, "y") != before[1]  # the axis fits what is left
    for name in ("slow", "bound"):
        page.locator(".legend button", has_text=name).click()
    assert (line(page, "fast"), ticks(page, "y")) == before
    page.locator(".legend button", has_text="waits").click()
    assert page.locator("path.line[data-series='waits']").count() == 1


@pytest.mark.parametrize("which", ["x", "y"])
def test_logarithmic_and_linear_axes(page, which):
    before, drawn = ticks(page, which), line(page, "slow")
    button = page.locator(f".log-{which}").first
    pressed = button.get_attribute("aria-pressed")
    button.click()
    assert button.get_attribute("aria-pressed") != pressed
    assert ticks(page, which) != before
    assert line(page, "slow") != drawn
    button.click()
    assert (ticks(page, which), line(page, "slow")) == (before, drawn)


def test_a_power_is_a_straight_line_on_logarithmic_axes(page):
    page.locator(".log-x").first.click()
    places = np.array([p.split(",") for p in line(page, "fast")[1:].split("L")], dtype=float)
    slope, start = np.polyfit(*places.T, 1)
    assert np.abs(places @ [-slope, 1.0] - start).max() < 0.3  # pixels


def test_zoom_and_reset(page):
    before = ticks(page, "x"), ticks(page, "y")
    reset = page.locator(".reset").first
    assert reset.is_disabled()
    drag(page, (0.3, 0.5), (0.6, 0.51))  # flat: the horizontal axis only
    numbers = [float(t) for t in ticks(page, "x")]
    assert min(numbers) > 35
    assert max(numbers) < 125
    assert ticks(page, "y") == before[1]
    drag(page, (0.3, 0.2), (0.8, 0.6))
    assert ticks(page, "y") != before[1]
    reset.click()
    assert (ticks(page, "x"), ticks(page, "y")) == before
    assert reset.is_disabled()
    drag(page, (0.3, 0.2), (0.8, 0.6))
    assert reset.is_enabled()
    page.locator(".plot").first.dblclick()
    assert (ticks(page, "x"), ticks(page, "y")) == before


def test_zoom_far_in_keeps_the_numbers_apart(page):
    for _ in range(12):
        drag(page, (0.45, 0.5), (0.55, 0.505))
    found = ticks(page, "x")
    assert len(found) == len(set(found)) >= 2


def test_everything_by_keyboard(page):
    page.locator(".plot").first.focus()
    page.keyboard.press("ArrowRight")
    spoken = page.locator(".spoken").first
    first = spoken.text_content()
    assert re.match(r"iteration \d+: bound .*, slow .*, fast ", first)
    page.keyboard.press("ArrowRight")
    assert spoken.text_content() != first
    before = ticks(page, "x")
    page.keyboard.press("+")
    assert ticks(page, "x") != before
    page.keyboard.press("Escape")
    assert ticks(page, "x") == before
    page.locator(".log-y").first.focus()
    page.keyboard.press("Space")
    assert page.locator(".log-y").first.get_attribute("aria-pressed") == "false"


def test_another_horizontal_axis(page):
    before = ticks(page, "x")
    page.locator("label select").select_option("seconds")
    assert ticks(page, "x") != before
    assert max(float(t) for t in ticks(page, "x")) <= 0.2


def spoken_tables(page):
    """How many tables, rows and heads a screen reader is told of."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in tree if not node["ignored"]]
    return [roles.count(role) for role in ("table", "row", "columnheader", "rowheader", "cell")]


def test_a_table_that_becomes_cards_is_still_a_table(browser, path):
    with visit(browser, path) as wide, visit(browser, path, viewport=PHONE) as narrow:
        assert spoken_tables(wide) == spoken_tables(narrow) == [2, 5, 16, 3, 6 + 11]


def test_on_a_phone(browser, path):
    with visit(browser, path, viewport=PHONE, is_mobile=True, has_touch=True) as page:
        check_page(page)
        page.locator("details").first.locator("summary").tap()
        check_page(page)
        box = page.locator(".plot").first.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tip = page.locator(".tip").first.bounding_box()
        assert tip is not None
        assert tip["x"] >= 0
        assert tip["x"] + tip["width"] <= 390
        check_page(page)


def check_lines(page, paper):
    """Lines and their swatches at least three times as light as the paper, or the reverse."""
    strokes = "[...document.querySelectorAll('path.line')].map((e) => getComputedStyle(e).stroke)"
    colors = set(page.evaluate(strokes))
    assert len(colors) >= 4
    for color in colors:
        high, low = sorted((luminance(color), luminance(paper)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3.0, color


def luminance(color):
    parts = np.array([float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3]])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_light_and_dark(browser, path):
    papers = []
    for scheme in ("light", "dark"):
        with visit(browser, path, color_scheme=scheme) as page:
            check_contrast(page)
            papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            check_lines(page, papers[-1])
    assert papers[0] != papers[1]


def test_the_reproduction_writes_one(browser, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from frankwolfe.apps.paper.reproduce import reproduce

    done = reproduce(["audit"], tmp_path, quick=True)
    assert tmp_path / "report.html" in done.files
    with visit(browser, tmp_path / "report.html", viewport=PHONE) as page:
        check_page(page)
        check_contrast(page)
        assert page.locator("img").count() == 1
        assert "frankwolfe reproduce audit --quick" in page.locator("pre").last.text_content()
        rows = page.locator("tbody tr", has_text=done.claims[0].verdict)
        assert rows.count() == 1


@pytest.mark.parametrize(("told", "named"), [("x86", "x86, "), ("", "arm, ")])
def test_a_processor_has_a_name_where_no_file_says_it(told, named, monkeypatch):
    def refuse(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("platform.processor", lambda: told)
    monkeypatch.setattr("platform.machine", lambda: "arm")
    found = machine(())
    monkeypatch.undo()
    assert found["processor"].startswith(named)
