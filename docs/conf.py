"""Configuration of Sphinx, which builds the site: ``make docs``."""

import re
import sys
import warnings
from os.path import relpath
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

import frankwolfe  # noqa: E402

project = "frankwolfe"
author = "The frankwolfe developers"
project_copyright = "The frankwolfe developers, BSD-3-Clause"
version = release = frankwolfe.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "auto_examples/*.ipynb", "auto_examples/*.py", "auto_examples/*.md5"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
templates_path = ["_templates"]

# Markdown: the pages are read on GitHub too
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["config.cache", "ref.python"]

# The reference: signatures without types, which are in the docstrings
autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
# beside a function whose name differs in a capital alone, which some file systems do not see
_TWINS = ("frankwolfe.apps.traffic.Equilibrium",)
autosummary_filename_map = {name: f"{name}-class" for name in _TWINS}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
ROUTING = "set_fit_request, set_score_request, set_transform_request, get_metadata_routing"
autodoc_default_options = {"members": True, "exclude-members": f"example, examples, {ROUTING}"}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
toc_object_entries = False
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"[a-z0-9].*"),  # "array of shape (m,)" is a description, not a name
    ("py:.*", r"(numpy|scipy|np|pandas|matplotlib|torch|jax)\..*"),
    ("py:class", r"(.* .*|Shape|Atom|Memory|Budget|FoldIn|Path|Traffic|Bushes|Demand|Cluster)"),
    ("py:mod", r"frankwolfe\..*"),  # modules that are named, and are not of the public reference
]

# The gallery
sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "within_subsection_order": ExplicitOrder(
        [
            "sparse_logistic_regression.py",
            "robust_regression.py",
            "movie_ratings.py",
            "portfolio.py",
            "sector_limits.py",
            "maxcut.py",
            "nearest_correlation.py",
            "sparse_principal_component.py",
            "experiment_design.py",
            "fair_lottery.py",
            "matching_landmarks.py",
            "traffic_assignment.py",
            "braess_paradox.py",
            "choosing_a_method.py",
            "jacobi_against_line_search.py",
            "expensive_simulation.py",
        ]
    ),
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "show_memory": False,
}
warnings.filterwarnings("ignore", message=".*non-interactive.*")

pygments_style = "tango"
pygments_dark_style = "github-dark"
html_theme = "furo"
html_title = f"frankwolfe {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0062a0", "color-brand-content": "#0062a0"},
    "dark_css_variables": {"color-brand-primary": "#6fb8ea", "color-brand-content": "#6fb8ea"},
}
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Pages that live elsewhere in the repository, and their names on the site
BORROWED = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "adding_a_solver.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")


def relinked(text: str, folder: Path, onto: Path = HERE) -> str:
    """Markdown of a page in `folder` with its links rewritten for a page of the site in `onto`.

    A link to a page stays a link; a link to any other file becomes the name of the file.
    """
    up = Path(relpath(HERE, onto)).as_posix() + "/" if onto != HERE else ""

    def replaced(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        place = (folder / target).resolve()
        name = place.relative_to(ROOT).as_posix() if place.is_relative_to(ROOT) else ""
        if name == "README.md":
            return f"[{words}]({up}index.md)"
        if name in BORROWED:
            return f"[{words}]({up}{BORROWED[name]}{anchor})"
        if place.is_relative_to(HERE):
            return f"[{words}]({up}{place.relative_to(HERE).as_posix()}{anchor})"
        if name.startswith("examples") and place.suffix == ".py":
            return f"[{words}]({up}auto_examples/{place.stem}.rst)"
        if name == "examples":
            return f"[{words}]({up}auto_examples/index.rst)"
        return words if words.startswith("`") else f"`{name}`"

    return LINK.sub(replaced, text)


def borrow(app: Any) -> None:
    """Copy the pages from outside docs/; the copies are not under version control."""
    for name, page in BORROWED.items():
        text = relinked((ROOT / name).read_text("utf-8"), (ROOT / name).parent)
        place = HERE / page
        if not place.is_file() or place.read_text("utf-8") != text:
            place.write_text(text, "utf-8")


def relink(app: Any, page: str, source: list[str]) -> None:
    """Rewrite the links of a page that lead out of docs/."""
    if (HERE / f"{page}.md").is_file() and f"{page}.md" not in BORROWED.values():
        folder = (HERE / page).parent
        source[0] = relinked(source[0], folder, folder)


SPELLINGS = {r"_\star": "_{*}", r"\dots": r"\ldots"}  # TeX that docutils does not know


def formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers show without an external script."""
    block = isinstance(node, nodes.math_block)
    tex = re.sub(r"\\frac(\w)(\w)", r"\\frac{\1}{\2}", node.astext())  # one character each
    for said, known in SPELLINGS.items():
        tex = tex.replace(said, known)
    text = tex2mathml(tex, as_block=block)
    translator.body.append(f'<div class="formula">{text}</div>' if block else text)
    raise nodes.SkipNode


PLAIN = re.compile(r"^(?!\s*(?:>>>|\.\.\. ))[^\\]*$")  # a line of prose: no code, no TeX


def absolute_values(*arguments: Any) -> None:
    """Escape the bars of absolute values in a docstring, which reST takes for substitutions."""
    lines: list[str] = arguments[-1]
    for k, line in enumerate(lines):
        if PLAIN.match(line):
            parts = re.split(r"(`[^`]*`)", line)  # bars inside backticks stay
            lines[k] = "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in parts)


def setup(app: Any) -> None:
    """Register the hooks; Sphinx calls this."""
    app.connect("autodoc-process-docstring", absolute_values)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.connect("config-inited", lambda app, config: borrow(app))
    app.connect("source-read", relink)
