"""A case as a few lines of Python that anybody can run."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .cases import Case, Part

__all__ = ["script"]

LONG = 3000  # characters up to which an array is written out


def _written(value: Any) -> str:
    if sp.issparse(value):
        return f"sp.{value.format}_array({_written(value.toarray())})"
    if isinstance(value, np.ndarray):
        kind = "" if value.dtype in (np.float64, np.int64) else f", dtype=np.{value.dtype}"
        return f"np.array({value.tolist()!r}{kind})"
    return repr(value).replace("inf", "np.inf") if isinstance(value, float) else repr(value)


def _call(part: Part, room: str) -> str:
    """The part as a call of a class in `fw.objectives` or `fw.regions`."""
    if part.name == "Product":
        blocks = ", ".join(
            f"({_call(block, room)}, {size})" for block, size in part.options["blocks"]
        )
        return f"fw.Product([{blocks}])"
    fed = ", ".join(f"{key}={_written(value)}" for key, value in part.options.items())
    outer, _, inner = part.name.partition(".")
    if outer == "Profiled":
        return f"fw.Profiled(fw.{room}.{inner}({fed}))"
    if inner == "gram":
        return f"fw.{room}.{outer}({fed}).gram()"
    own = {"Function": "root_sum", "Function_logs": "negative_logs", "Completion": "completion"}
    own |= {"OracleRegion_simplex": "cheapest", "OracleRegion_ball": "against"}
    return f"{own[part.name]}({fed})" if part.name in own else f"fw.{room}.{part.name}({fed})"


def script(case: Case) -> str:
    """Lines that build the problem and run it; by its seed where it is long."""
    objective, region = _call(case.objective, "objectives"), _call(case.region, "regions")
    options = f"method={case.method!r}, tol={case.tol!r}"
    if len(objective) + len(region) > LONG:
        return (
            "import frankwolfe as fw\nfrom tests.attack.problems import problem\n"
            f"case = problem({case.seed})\nf, region = case.build()\n"
            f"x0 = case.start(fw.Problem(f, region))\n"
            f"print(fw.minimize(f, region, x0=x0, {options}))\n"
        )
    lines = ["import numpy as np, frankwolfe as fw"]
    if "sp." in objective + region:
        lines.append("import scipy.sparse as sp")
    for name in ("root_sum", "negative_logs", "completion", "cheapest", "against"):
        if f"{name}(" in objective + region:
            lines.append(f"from tests.attack.cases import {name}")
    lines += [f"f = {objective}", f"region = {region}"]
    start = ""
    if case.from_vertex is not None:
        lines.append(f"g = np.random.default_rng({case.from_vertex}).standard_normal(f.n)")
        start = "x0=region.lmo(g).dense(f.n), "
    lines.append(f"print(fw.minimize(f, region, {start}{options}))")
    return "\n".join(lines) + "\n"
