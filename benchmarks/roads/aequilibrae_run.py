"""AequilibraE's assignment of one problem, in an interpreter that need not have this library.

``python aequilibrae_run.py PROBLEM.npz COURSE.npz --algorithm bfw --tol 1e-6 --seconds 300`` reads
what `roads.peer` wrote, and writes the processor time, the gap that it reports and the flows
after each iteration. The clock runs in its loop of iterations alone: neither for the import, nor
while the graph is built, nor while flows are put by.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

os.environ["AEQ_SHOW_PROGRESS"] = "FALSE"

import numpy as np
import pandas as pd
from aequilibrae.matrix import AequilibraeMatrix
from aequilibrae.paths import Graph, TrafficAssignment, TrafficClass

LEAST_TIME = 1e-9  # for links that take none, which it refuses
KEPT = 4e8  # bytes of flows that are put by at most


def graph_of(given: Any) -> Graph:
    """Its graph of these links."""
    links = {
        "link_id": np.arange(1, given["tails"].size + 1),
        "a_node": given["tails"],
        "b_node": given["heads"],
        "direction": 1,
    }
    links |= {name: given[name] for name in ("capacity", "b", "fixed")}
    links["free_flow_time"] = np.maximum(given["free_flow_time"], LEAST_TIME)
    links["power"] = np.where(given["b"] == 0.0, 1.0, given["power"])
    graph = Graph()
    graph.network = pd.DataFrame(links)
    graph.prepare_graph(given["zones"])
    graph.set_graph("free_flow_time")
    graph.set_blocked_centroid_flows(bool(given["closed"]))
    return graph


def assignment_of(given: Any, graph: Graph, algorithm: str) -> TrafficAssignment:
    """Ready to be executed, on one core."""
    matrix = AequilibraeMatrix()
    matrix.create_empty(zones=given["zones"].size, matrix_names=["trips"], memory_only=True)
    matrix.index[:] = given["zones"]
    matrix.matrices[:, :, 0] = given["matrix"]
    matrix.computational_view(["trips"])
    users = TrafficClass("all", graph, matrix)
    if given["fixed"].any():
        users.set_fixed_cost("fixed")
    assignment = TrafficAssignment()
    assignment.set_classes([users])
    assignment.set_vdf("BPR")
    assignment.set_vdf_parameters({"alpha": "b", "beta": "power"})
    assignment.set_capacity_field("capacity")
    assignment.set_time_field("free_flow_time")
    assignment.set_cores(1)
    assignment.set_algorithm(algorithm)
    return assignment


class Course:
    """Notes what it had after each iteration; ends the run when its time is over."""

    def __init__(self, loop: Any, seconds: float) -> None:
        self.loop, self.seconds, self.spent, self.began = loop, seconds, 0.0, 0.0
        self.refresh = loop._refresh_congested_costs
        self.rows: list[tuple[float, float]] = []
        self.flows: list[Any] = []
        loop._refresh_congested_costs = self

    def __call__(self) -> None:
        """In place of the last step of its iteration, after its gap."""
        self.refresh()
        if self.loop.iter:  # before the first there are no flows
            self.spent += time.process_time() - self.began
            self.rows.append((self.spent, float(self.loop.rgap)))
            self.flows.append(self.loop.fw_total_flow.copy())
            if self.spent > self.seconds or self.flows[0].nbytes * len(self.flows) > KEPT:
                self.loop.rgap_target = np.inf  # it ends after one iteration more
        self.began = time.process_time()


def main() -> None:
    """Read, run, write."""
    line = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    line.add_argument("problem")
    line.add_argument("course")
    line.add_argument("--algorithm", default="bfw")
    line.add_argument("--tol", type=float, default=1e-6)
    line.add_argument("--seconds", type=float, default=300.0)
    options = line.parse_args()
    given = dict(np.load(options.problem))
    assignment = assignment_of(given, graph_of(given), options.algorithm)
    assignment.max_iter, assignment.rgap_target = 10**6, options.tol
    course = Course(assignment.assignment, options.seconds)
    assignment.execute(log_specification=False)
    seconds, gaps = np.array(course.rows).T
    np.savez(options.course, seconds=seconds, gaps=gaps, flows=np.array(course.flows))


if __name__ == "__main__":
    main()
