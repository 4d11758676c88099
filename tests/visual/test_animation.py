"""The geometry view: what is drawn is what the methods do."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from browser import check_contrast, check_page, chromium, visit

import frankwolfe as fw
from frankwolfe.cli import main
from frankwolfe.methods import METHODS
from frankwolfe.visual.animation import (
    SCENES,
    WALKERS,
    Scene,
    animate,
    polygon,
    show,
    walk,
    write_view,
)

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

EXAMPLES = {name: make() for name, make in SCENES.items()}


@pytest.fixture(scope="module")
def scene():
    return polygon()


@pytest.mark.parametrize("name", WALKERS)
@pytest.mark.parametrize("place", SCENES)
def test_a_walk_is_the_method(place, name):
    scene = EXAMPLES[place]
    trajectory = walk(scene, name, steps=12)
    f, recipe = scene.problem.objective, WALKERS[name]()
    result = fw.minimize(f, scene.region, method=recipe, x0=scene.start, max_iter=12, tol=0.0)
    errors = result.history["value"] - scene.optimum.fun
    np.testing.assert_allclose(trajectory.errors[: errors.size], errors, atol=1e-12)
    for x, s in zip(trajectory.points, trajectory.atoms, strict=True):
        assert scene.region.contains(x, tol=1e-9)
        g = f.grad(x)
        assert g @ s <= min(g @ p for p in scene.outline) + 1e-9
    assert (trajectory.gaps >= trajectory.errors - 1e-12).all()


@pytest.mark.parametrize("place", SCENES)
def test_the_optimum_is_where_it_is_marked(place):
    """Against a grid of the region, by brute force."""
    scene = EXAMPLES[place]
    inside = scene.outline.mean(axis=0)
    shares = np.linspace(0, 1, 60)[:, None, None]
    ends = np.vstack([scene.outline, scene.outline[:1]])
    edges = np.concatenate([np.linspace(a, b, 40) for a, b in pairwise(ends)])
    grid = (inside + shares * (edges - inside)).reshape(-1, 2)
    away = grid - scene.center
    values = 0.5 * np.einsum("ij,jk,ik->i", away, scene.Q, away)
    assert scene.optimum.fun <= values.min() + 1e-12
    assert values.min() - scene.optimum.fun < 1e-2


def test_level_lines_are_level_lines(scene):
    for a, b, angle in scene.rings():
        turn = np.radians(angle)
        axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        t = np.linspace(0, 2 * np.pi, 17)
        points = scene.center + (axes @ [a * np.cos(t), b * np.sin(t)]).T
        values = [scene.problem.objective(point) for point in points]
        np.testing.assert_allclose(values, values[0], rtol=1e-9)


def test_the_polygon_shows_what_it_is_there_for(scene):
    """FW goes back and forth between the ends of an edge; away steps end the matter."""
    trajectory = walk(scene, "FW, line search", steps=24)
    last = trajectory.atoms[8:]
    assert len(np.unique(last.round(9), axis=0)) == 2
    assert (np.abs(np.diff(last, axis=0)).max(axis=1) > 1).mean() > 0.8
    for name in ("away steps", "blended pairwise"):
        assert walk(scene, name, steps=24).errors[-1] < 1e-9 < trajectory.errors[-1]


def test_moves_are_named(scene):
    assert set(walk(scene, "JFW").moves) == {"start", "toward"}
    assert "away" in walk(scene, "away steps").moves
    assert "between" in walk(scene, "blended pairwise").moves
    assert walk(scene, "away steps").moves[-1] == "stay"


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_shown_or_says_why_not(scene, name):
    reason = METHODS[name]().accepts(scene.problem)
    if reason is None:
        assert walk(scene, name, steps=2).points.shape == (3, 2)
    else:
        with pytest.raises(fw.InvalidInput, match=re.escape(reason)):
            walk(scene, name, steps=2)


def test_an_animation_has_a_frame_a_step(scene, tmp_path):
    from PIL import Image

    path = animate([scene], tmp_path / "a.gif", methods=["JFW", "away steps"], steps=3)
    with Image.open(path) as picture:
        assert picture.n_frames == 4
        first = np.asarray(picture.convert("RGB"), dtype=int)
        picture.seek(3)
        assert np.abs(np.asarray(picture.convert("RGB"), dtype=int) - first).max() > 50


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda s, p: animate([], p / "a.gif"), "one scene"),
        (lambda s, p: write_view([s], p / "a.html", methods=[]), "one method"),
        (lambda s, p: walk(s, "no such method"), "there is no method"),
        (lambda s, p: walk(s, "JFW", steps=0), "steps must be"),
        (lambda s, p: show(p, scenes=["cube"]), "scenes must be among polygon, disc"),
        (lambda s, p: Scene("a", s.region, -np.eye(2), s.center, s.start), "positive definite"),
        (lambda s, p: Scene("a", s.region, s.Q, np.zeros(3), s.start), "points of the plane"),
    ],
)
def test_bad_input_gets_one_sentence(scene, tmp_path, wrong, words):
    with pytest.raises(fw.InvalidInput, match=words):
        wrong(scene, tmp_path)


def test_the_command_line_shows(tmp_path, capsys):
    assert main(["show", "disc", "--steps", "2", "--out", str(tmp_path / "new")]) == 0
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"geometry.gif", "geometry.html"}
    assert "geometry.gif" in capsys.readouterr().out
    assert main(["show", "cube", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# --- in a browser


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("geometry")
    return write_view(list(EXAMPLES.values()), folder / "geometry.html", steps=6)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def corners(page, name):
    """How many points the path of a method has."""
    return page.locator(f"path[data-series='{name}']").get_attribute("d").count(",")


def test_stepping(browser, path):
    with visit(browser, path) as page:
        check_page(page)
        assert corners(page, "JFW") == 1
        page.locator(".on").click()
        page.locator(".on").click()
        assert corners(page, "JFW") == 3
        page.locator(".back").click()
        assert (corners(page, "JFW"), page.locator("output").text_content()) == (2, "1")
        page.locator(".slider input").fill("6")
        assert corners(page, "JFW") == 7
        page.locator(".slider input").press("ArrowLeft")
        assert corners(page, "JFW") == 6


def test_play_and_pause(browser, path):
    with visit(browser, path) as page:
        play = page.locator(".play")
        play.click()
        assert play.text_content() == "Pause"
        page.locator("output", has_text="2").wait_for()
        play.click()
        assert play.text_content() == "Play"
        seen = page.locator("output").text_content()
        page.wait_for_timeout(700)
        assert page.locator("output").text_content() == seen


def test_regions_and_methods_are_chosen(browser, path):
    with visit(browser, path) as page:
        assert page.locator("tbody tr").count() == 4
        page.locator(".legend button", has_text="JFW").click()
        assert page.locator("path[data-series='JFW']").count() == 0
        assert page.locator("tbody tr").count() == 3
        before = page.locator(".region").get_attribute("d")
        page.locator(".scenes button", has_text="disc").click()
        assert page.locator(".region").get_attribute("d") != before
        assert page.locator("path[data-series='JFW']").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_in_both_colours(browser, path, scheme):
    size = {"width": 390, "height": 844}
    with visit(browser, path, viewport=size, color_scheme=scheme) as page:
        page.locator(".slider input").fill("4")
        check_page(page)
        check_contrast(page)


def test_a_frame_shows_its_own_step_alone(monkeypatch, tmp_path):
    """What was drawn for a step is gone in the next frame: as many artists as if it were first."""
    from frankwolfe.visual.animation import animation

    counts, picture = [], animation._picture

    def counted(figure):
        counts[-1].append(sum(len(ax.get_children()) for ax in figure.axes))
        return picture(figure)

    monkeypatch.setattr(animation, "_picture", counted)
    for steps in (3, 6):
        counts.append([])
        animate([EXAMPLES["disc"]], tmp_path / "a.gif", methods=["JFW"], steps=steps)
    assert len(counts[1]) == 7
    assert counts[0] == counts[1][:4]
    assert len(set(counts[1][1:])) == 1
