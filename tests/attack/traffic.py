"""The attack on traffic assignment: `python -m tests.attack.traffic --seeds 0:1000`.

A seed makes a network and trips. The answer is judged by other means: shortest paths by Bellman
and Ford's method, the balance of each bush at each node, bounds against the values of other runs.
The process that runs them dies where one takes too long, with its stack on the screen, and another
goes on behind it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import sys
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.apps import traffic

from . import processes
from .traffic_shapes import Jam, jam

__all__ = ["bush_defects", "judged", "shortest_cost"]

LIMIT = 60  # seconds, after which a process is ended
STEPS = 1000
OTHERS = (
    *("frank_wolfe", "pairwise", "blended_pairwise", "fully_corrective", "away_step", "afw"),
    *("blended_conditional_gradients", "boosted", "partan", "second_order", "jacobi_momentum"),
    *("conjugate_fw", "biconjugate_fw"),
)
ROUNDING = 1e-12  # of sums over some hundred links


def distances(network: traffic.Network, costs: Any, origin: int) -> Any:
    """What the cheapest way to each node costs, by Bellman and Ford's method."""
    far = np.full(network.nodes.size, np.inf)
    far[origin] = 0.0
    passed = ~network.closed[network.tails] | (network.tails == origin)
    tails, heads, costs = network.tails[passed], network.heads[passed], costs[passed]
    for _ in range(network.nodes.size):
        before = far.copy()
        np.minimum.at(far, heads, before[tails] + costs)
        if np.array_equal(far, before):
            break
    return far


def shortest_cost(network: traffic.Network, demand: Any, costs: Any) -> float:
    """What all trips cost on shortest paths; `costs` has a row for each class."""
    total = 0.0
    for b, origin in enumerate(demand.origins):
        mine = slice(demand.starts[b], demand.starts[b + 1])
        far = distances(network, costs[demand.of[b]], origin)
        total += float(far[demand.ends[mine]].dot(demand.amounts[mine]))
    return total


def bush_defects(network: traffic.Network, demand: Any, bushes: Any) -> list[str]:
    """Whether a bush is not sorted, not acyclic, not balanced, or passes a closed node."""
    found = []
    for b, origin in enumerate(demand.origins):
        mine = slice(bushes.begin[b], bushes.begin[b + 1])
        links, loads = bushes.links[mine], bushes.loads[mine]
        tails, heads = network.tails[links], network.heads[links]
        last = dict(zip(heads.tolist(), range(links.size), strict=True))
        if any(last.get(v, -1) >= p for p, v in enumerate(tails.tolist())) or origin in last:
            found.append(f"bush {b} is not sorted")
        if links.size != np.unique(links).size:
            found.append(f"bush {b} has a link twice")
        if network.closed[tails[tails != origin]].any():
            found.append(f"bush {b} passes a closed node")
        if not (loads >= 0.0).all():
            found.append(f"bush {b} has flows below zero")
        ends, amounts = (part[demand.starts[b] : demand.starts[b + 1]] for part in demand[5:])
        balance = np.bincount(heads, loads, network.nodes.size)
        balance -= np.bincount(tails, loads, network.nodes.size)
        np.subtract.at(balance, ends, amounts)
        balance[origin] += amounts.sum()
        if not np.abs(balance).max() <= ROUNDING * amounts.sum():
            found.append(f"bush {b} loses {np.abs(balance).max() / amounts.sum():.1e} of its trips")
    return found


def _size(case: Jam, answer: traffic.Equilibrium) -> float:
    """How large the numbers are whose sums and differences costs are."""
    times = case.network.cost.time(answer.flows) + np.abs(answer.demand.fixed).max(axis=0)
    return float(times.dot(answer.flows))


def _vague(case: Jam, answer: traffic.Equilibrium) -> bool:
    """Whether costs are the rounding of times that tolls pay back."""
    return answer.total_cost < 1e-6 * _size(case, answer)


def _defects(case: Jam, answer: traffic.Equilibrium) -> list[str]:
    network, demand = case.network, answer.demand
    found = []
    if _vague(case, answer):
        return bush_defects(network, demand, answer.bushes)
    numbers = [answer.fun, answer.gap, answer.lower_bound, answer.relative_gap, answer.total_cost]
    if not all(np.isfinite(part).all() for part in (answer.flows, answer.costs, numbers)):
        return ["not finite"]
    weights = np.array([each.weight for each in demand.classes])
    loads = answer.class_flows * weights[:, None]
    if not np.allclose(loads.sum(axis=0), answer.flows, rtol=ROUNDING, atol=0.0):
        found.append("classes do not add up")
    cost = network.cost.marginal() if case.system_optimum else network.cost
    costs = cost.time(answer.flows) + demand.fixed
    spent, least = float((costs * loads).sum()), shortest_cost(network, demand, costs)
    gap = (spent - least) / spent if spent > 0.0 else 0.0
    rounding = ROUNDING * max(1.0, _size(case, answer) / spent) if spent > 0.0 else 0.0
    if abs(gap - answer.relative_gap) > rounding:
        found.append(f"relative gap {answer.relative_gap:.2e} is {gap:.2e}")
    if answer.success and gap > 1.01 * case.tol + rounding:
        found.append(f"says that it converged, with {gap:.1e} > {case.tol:.0e}")
    if answer.certified and answer.gap < spent - least - ROUNDING * spent - abs(answer.fun) * 1e-9:
        tangent = answer.fun - (spent - least)
        if answer.lower_bound < tangent - 1e-9 * spent:
            found.append("bound below its tangent's")
    if answer.bushes is not None:
        found += bush_defects(network, demand, answer.bushes)
    return found


def _false_bounds(case: Jam, answer: traffic.Equilibrium) -> list[str]:
    """Whether a run that knows nothing of this one, or goes on further, is below the bound."""
    found = []
    room = 1e-11 * max(abs(answer.fun), answer.total_cost) + 1e-14 * _size(case, answer)
    for method, steps in (("bushes", 3000), (OTHERS[case.seed % len(OTHERS)], 60)):
        try:
            other = _run(case, method=method, tol=1e-13, max_iter=steps, stop=fw.Seconds(10.0))
        except Exception as wrong:
            if "Use a method that asks for gradients" not in str(wrong):
                found.append(f"{method}: {type(wrong).__name__}: {wrong}")
            continue
        if answer.lower_bound > other.fun + room:
            found.append(f"bound {answer.lower_bound:.15g} above {other.fun:.15g} of {method}")
        if other.lower_bound > answer.fun + room:
            found.append(f"{method}'s bound {other.lower_bound:.15g} above {answer.fun:.15g}")
    return found


def _run(case: Jam, **options: Any) -> traffic.Equilibrium:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return traffic.equilibrium(
            case.network, case.classes, system_optimum=case.system_optimum, **options
        )


def judged(seed: int, *, others: bool = True) -> dict[str, Any]:
    """What the problem of a seed came to."""
    case = jam(seed)
    record = {"seed": seed, "level": "", "defects": [], "seconds": 0.0, "case": str(case)}
    began = time.perf_counter()
    try:
        answer = _run(case, tol=case.tol, max_iter=STEPS)
    except fw.InvalidInput as refusal:
        said = str(refusal)
        fine = "no links lead there" in said or "overflow" in said
        return record | {"level": "refused", "said": said, "defects": [] if fine else [said]}
    except Exception as wrong:
        return record | {"level": "failed", "defects": [f"{type(wrong).__name__}: {wrong}"]}
    record |= {"seconds": round(time.perf_counter() - began, 2), "steps": answer.nit}
    record |= {"gap": answer.relative_gap, "tol": case.tol, "said": answer.message}
    vague = _vague(case, answer)
    level = "vague" if vague else "reached" if answer.success else "short"
    defects = _defects(case, answer)
    if others and not defects and not vague:
        defects += _false_bounds(case, answer)
    return record | {"level": level, "defects": defects}


def _judged(first: int, last: int) -> None:
    """A process: one line for each problem."""
    for seed in range(first, last):
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        print(json.dumps(judged(seed)), flush=True)


def main() -> int:
    """Run, print; 1 where there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.traffic", description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="a:b, the seeds from a up to b - 1")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        _judged(*map(int, options.part.split(":")))
        return 0
    seeds = map(int, options.seeds.split(":"))
    began, records = time.monotonic(), []
    for record in processes.records("tests.attack.traffic", *seeds, LIMIT):
        records.append(record)
        if record["defects"] or record["level"] in ("short", "died") or record["seconds"] > 2.0:
            print(record, flush=True)
    print(dict(Counter(record["level"] for record in records)))
    slowest = sorted(records, key=lambda r: -r["seconds"])[:10]
    print("slowest:", [(r["seed"], r["seconds"]) for r in slowest])
    bad = sum(bool(r["defects"]) for r in records)
    print(f"{len(records)} problems, {bad} with defects, {time.monotonic() - began:.0f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
