"""The documentation: its code runs, its links lead somewhere, its reference is complete."""

from __future__ import annotations

import doctest
import importlib
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from conftest import is_installed

import frankwolfe as fw

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md"])
BORROWED = ("docs/contributing.md", "docs/changes.md", "docs/adding_a_solver.md")
PAGES = [page for page in PAGES if page.relative_to(ROOT).as_posix() not in BORROWED]
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
FENCE = re.compile(
    r"^(?:<!-- (?P<mark>.*?) -->\n)?```(?P<language>\S+)\n(?P<code>.*?)^```$", re.M | re.S
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)\s]*)\)")
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)+[\w-]+\.py)\b")
DOTTED = re.compile(r"(?<![\w./-])(?:frankwolfe|fw)((?:\.[A-Za-z_]\w*)+)")
SETTINGS = (".patience",)  # of Dask, under the package's name
PUBLIC = ("frankwolfe", *fw.NAMESPACES.values())


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path) -> list[tuple[int, str, str]]:
    """Line, mark and code of the Python blocks of a page."""
    text = page.read_text("utf-8")
    return [
        (text[: match.start("code")].count("\n"), match["mark"] or "", match["code"])
        for match in FENCE.finditer(text)
        if match["language"] == "python"
    ]


def _run(code: str, names: dict[str, object], where: str, line: int) -> None:
    if not code.lstrip().startswith(">>>"):
        exec(compile("\n" * line + code, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, where, where, line)
    try:
        doctest.DebugRunner(verbose=False).run(test, clear_globs=False)
    except doctest.UnexpectedException as error:
        raise error.exc_info[1] from None
    except doctest.DocTestFailure as error:
        place = f"{where}:{line + (error.example.lineno or 0) + 1}"
        told = f"{place}: Expected:\n{error.example.want}Got:\n{error.got}"
        raise AssertionError(told) from None
    names.update(test.globs)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """From top to bottom in one namespace; what a block needs and is not here, is left out."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for line, mark, code in _blocks(page):
        if mark.startswith("not run: "):  # with a reason
            continue
        if mark.startswith("needs: ") and not is_installed(mark[7:]):
            continue
        _run(code, names, str(page), line)


def test_blocks_are_found_and_failures_seen():
    found = 0
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.findall(r"^\s*```(?:py|python3|pycon)$", text, re.M), "call it python"
        assert len(_blocks(page)) == len(re.findall(r"^\s*```python", text, re.M)), _name(page)
        assert all(re.match(r"(not run|needs): \S", mark) for _, mark, _ in _blocks(page) if mark)
        found += len(_blocks(page))
    assert found > 20
    with pytest.raises(AssertionError, match="Expected"):
        _run(">>> 1 + 1\n3\n", {}, "nowhere", 0)
    with pytest.raises(ZeroDivisionError):
        _run("1 / 0", {}, "nowhere", 0)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_an_example_runs_and_draws(script, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(len(plt.get_fignums())))
    try:
        runpy.run_path(str(script))
        assert shown == [1]
        plt.gcf().canvas.draw()
    finally:
        plt.close("all")
    assert "nan" not in capsys.readouterr().out


def _anchors(page: Path) -> set[str]:
    """GitHub's anchors of the headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    for link in LINK.findall(text):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{_name(page)} links to {file}, which is not there"
        assert target.is_relative_to(ROOT), f"{_name(page)} links out of the repository: {file}"
        assert not anchor or anchor in _anchors(target), f"{_name(page)}: no heading for {link}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_files_named_on_a_page_exist(page):
    """Paths are relative to the repository, the source, the package or the benchmarks."""
    bases = (ROOT, ROOT / "src", ROOT / "src" / "frankwolfe", ROOT / "benchmarks")
    for path in FILE.findall(page.read_text("utf-8")):
        there = any((base / path).is_file() for base in bases)
        assert there, f"{_name(page)} names {path}, which is not there"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_names_of_the_package_on_a_page_exist(page):
    for dotted in DOTTED.findall(page.read_text("utf-8")):
        there = dotted in SETTINGS or _is_there(dotted)
        assert there, f"{_name(page)} names frankwolfe{dotted}, which is not there"


def _is_there(dotted: str) -> bool:
    """Whether a module or a name in one is there; true where an optional package is missing."""
    thing = fw
    for name in dotted.split(".")[1:]:
        if not hasattr(thing, name):
            try:
                importlib.import_module(f"{getattr(thing, '__name__', '')}.{name}")
            except ImportError as error:
                return not str(error.name).startswith("frankwolfe")
        thing = getattr(thing, name)
    return True


def test_pages_named_by_examples_exist():
    titles = {page.read_text("utf-8").split("\n", 1)[0].removeprefix("# ") for page in PAGES}
    pattern = re.compile(r'page\s+"([^"]+)"')
    comments = {script.name: script.read_text("utf-8").replace("\n# ", " ") for script in EXAMPLES}
    named = {name: pattern.findall(text) for name, text in comments.items()}
    assert any(named.values())
    for name, found in named.items():
        assert titles.issuperset(found), f"{name} names a page that is not there: {found}"


@pytest.mark.parametrize("module", PUBLIC)
def test_the_reference_has_every_public_name(module):
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", text, flags=re.M))
    listed |= set(re.findall(r"py:data:: ([\w.]+)$", text, flags=re.M))
    if module == "frankwolfe.sklearn":
        pytest.importorskip("sklearn", minversion="1.6")
    short = {name.rsplit(".", 1)[-1] for name in listed}
    for name in importlib.import_module(module).__all__:
        told = f"{module}.{name} is not in docs/reference.md"
        assert name in short or name in fw.NAMESPACES, told


def test_listed_names_exist():
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    module = ""
    for line in text.split("\n"):
        if line.startswith(".. currentmodule:: "):
            module = line.split(":: ")[1]
        elif re.fullmatch(r"   [\w.]+", line):
            *path, name = f"{module}.{line.strip()}".split(".")
            assert hasattr(importlib.import_module(".".join(path)), name), line


def test_every_page_of_the_folder_is_in_a_table_of_contents():
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    listed = {
        line for block in re.findall(r"\{toctree\}(.*?)```", index, re.S) for line in block.split()
    }
    pages = {page.stem for page in PAGES if page.parent.name == "docs"} - {"index"}
    assert pages <= listed, f"not in docs/index.md: {sorted(pages - listed)}"


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path):
    """Without running the examples, which the test above does."""
    for package in ("sphinx", "myst_parser", "sphinx_gallery", "furo", "sphinx_copybutton"):
        pytest.importorskip(package)
    for name in ("docs", "examples"):
        skipped = shutil.ignore_patterns("_build", "generated", "auto_examples", "__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skipped)
    (tmp_path / "benchmarks").mkdir()
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "README.md", "benchmarks/README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    options = ["-W", "--keep-going", "-q", "-b", "html", "-D", "plot_gallery=0"]
    folders = [str(tmp_path / "docs"), str(tmp_path / "site")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *folders],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in ("index", "start", "auto_examples/portfolio", "generated/frankwolfe.minimize"):
        assert (tmp_path / "site" / f"{page}.html").is_file(), page
    assert fw.__version__ in (tmp_path / "site" / "index.html").read_text("utf-8")
    assert _dead_links(tmp_path / "site") == []


def _dead_links(site: Path) -> list[str]:
    """Links of the site's pages to a page or a place in one that is not there."""
    pages = {page: page.read_text("utf-8") for page in site.rglob("*.html")}
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    dead = []
    for page, text in pages.items():
        for link in re.findall(r'<(?:a|img|link)\b[^>]*?\b(?:href|src)="([^"]+)"', text):
            file, _, place = unquote(link).partition("#")
            if re.match(r"[a-z]+:|//", link) or (not file and not place):
                continue
            target = (page.parent / file.partition("?")[0]).resolve() if file else page
            exact = "_modules" not in page.parts  # viewcode has one prefix for all names of a file
            missing = exact and place and target in places and place not in places[target]
            if not target.is_file() or missing:
                dead.append(f"{page.relative_to(site)}: {link}")
    return dead
