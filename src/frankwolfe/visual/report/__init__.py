"""Reports: one HTML file that needs no network, with curves that answer.

A report is put together piece by piece and written at once:

>>> import os, tempfile, numpy as np, frankwolfe as fw
>>> from frankwolfe.visual.report import Report, runs
>>> f, ball = fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0)
>>> results = {name: fw.minimize(f, ball, method=name, max_iter=30) for name in ("afw", "jacobi")}
>>> report = Report("Two methods on a disc")
>>> report.add_text("Both start at the origin.")
>>> report.add_curves("Certified gap", runs(results), y="gap")
>>> rows = [(name, result.gap) for name, result in results.items()]
>>> report.add_table("Where they ended", ["method", "gap"], rows)
>>> report.write(os.path.join(tempfile.mkdtemp(), "report.html")).name
'report.html'
"""

from __future__ import annotations

from frankwolfe.base.files import write_text
from frankwolfe.visual.report.curves import Series, runs
from frankwolfe.visual.report.page import Report
from frankwolfe.visual.report.setup import machine
from frankwolfe.visual.report.setup import versions as versions

__all__ = ["Report", "Series", "machine", "runs", "write_text"]
