"""Which compiled functions a change makes stale, and a store of kernels without them."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from .changes import Change
from .project import Project, is_compiled

__all__ = ["callers", "clean_store", "compiled_files", "python_users", "store"]


def _mentions(node: ast.AST) -> set[str]:
    """Names that are read in a statement, but for its own variables, and attributes."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return ({n.id for n in names} - own) | attributes


@cache
def _defined(text: str) -> list[tuple[set[str], set[str]]]:
    """What each statement of a module names, and what it mentions."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.append(({node.name}, _mentions(node)))
        elif isinstance(node, ast.Assign):
            targets = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            found.append((targets, _mentions(node.value)))
    return found


def _compiled(project: Project) -> dict[str, str]:
    return {file: text for file, text in project.texts.items() if is_compiled(file)}


@cache
def compiled_files(project: Project) -> set[str]:
    """Files of compiled functions, and others of which these import something."""
    found = set(_compiled(project))
    for text in _compiled(project).values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                place = node.module.partition(".")[2].replace(".", "/")
                found |= {f"{place}.py", *(f"{place}/{name.name}.py" for name in node.names)}
    return found & set(project.texts)


def callers(project: Project, change: Change) -> set[str]:
    """Compiled functions with a part that the change may have changed, by their plain names.

    Callers of callers too. Functions of one name are not told apart: that compiles too much at
    most. A change at the level of a module may be in everything that the module defines.
    """
    if change.file not in compiled_files(project):
        return set()
    if change.function:
        stale = {change.function.partition(".")[0]}
    else:
        stale = set().union(*(names for names, _ in _defined(project.texts[change.file])))
    parts = [part for file in compiled_files(project) for part in _defined(project.texts[file])]
    grown = True
    while grown:
        more = set().union(*(names for names, used in parts if used & stale)) - stale
        stale, grown = stale | more, bool(more)
    return stale


def python_users(project: Project, change: Change) -> set[str]:
    """Python functions, as file:name, that mention a compiled function that is stale."""
    names = callers(project, change)
    stems = {
        Path(file).stem
        for file in compiled_files(project)
        if names & set().union(*(defined for defined, _ in _defined(project.texts[file])))
    }
    if "vectors" in stems:
        stems.add("for_length")
    found = set()
    for file, text in project.texts.items():
        if is_compiled(file):
            continue
        if not any(stem in text for stem in stems):
            continue
        found |= {f"{file}:{function}" for function, used in _functions(text) if used & names}
    return found


@cache
def _functions(text: str) -> list[tuple[str, set[str]]]:
    """The functions of a module, each with what it mentions."""
    found = []

    def visit(node: ast.AST, above: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = above
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{above}.{child.name}" if above else child.name
            if isinstance(child, ast.FunctionDef):
                found.append((name, _mentions(child)))
            visit(child, name)

    visit(ast.parse(text), "")
    return found


def clean_store(project: Project) -> Path:
    """The folder for what is compiled of the source as it is; another one when that changes."""
    texts = [project.texts[file] for file in sorted(compiled_files(project))]
    name = hashlib.sha256("".join(texts).encode()).hexdigest()[:12]
    folder = project.scratch / f"kernels_{name}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def store(project: Project, change: Change) -> Iterator[Path]:
    """A folder for Numba: links to what is compiled, without what the change makes stale.

    Numba replaces files and never writes into one, so the links keep what they point to.
    """
    folder = project.scratch / "kernels_of_mutant"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(clean_store(project), folder, copy_function=os.link)
    for name in callers(project, change):
        for path in folder.rglob(f"*{name}-[0-9]*.nb?"):
            path.unlink()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
