"""Tables of what an attack found."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

__all__ = ["defect_groups", "report"]

Record = dict[str, Any]
DEFECTS = (
    *("raw error", "warning", "over 30 s", "died", "infeasible", "not finite", "fun is not f(x)"),
    *("false bound", "false gap", "false success", "false not convex", "false proof"),
)
REACHED = ("certified", "proved, said", "precision, said")
FAILED = ("proved, not said", "precision, not said", "short", "uncertified")
LOST = ("not finite", "hang", "died", "error")
COUNTED = (*REACHED, *FAILED, *LOST)


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def _defaults(records: list[Record]) -> list[Record]:
    """Runs of the default method on convex problems that were not refused."""
    return [r for r in records if r.get("method") is None and r["level"] in COUNTED]


def _share(records: list[Record]) -> str:
    reached = sum(r["level"] in REACHED and r.get("seconds", 0.0) <= 10.0 for r in records)
    return f"{100.0 * reached / len(records):.1f} %" if records else "-"


def defect_groups(
    records: list[Record],
) -> dict[tuple[str, str], list[tuple[Record, dict[str, Any]]]]:
    """Defects by kind and cause, as far as their words tell it."""
    groups: dict[tuple[str, str], list[tuple[Record, dict[str, Any]]]] = defaultdict(list)
    for record in records:
        for defect in record["defects"]:
            cause = defect["method"]
            if defect["kind"] in ("raw error", "warning"):
                cause = f"{cause}: {defect['detail']}"
            elif defect["method"] == "default":
                cause = f"default ({record.get('used', '?')})"
            groups[defect["kind"], cause].append((record, defect))
    return groups


def _by(records: list[Record], key: str) -> str:
    kinds = sorted({str(r[key]) for r in records if key in r})
    rows = []
    for kind in kinds:
        those = [r for r in records if str(r.get(key)) == kind]
        levels = Counter(r["level"] for r in _defaults(those))
        rows.append(
            (
                *(kind, len(those), sum(bool(r["defects"]) for r in those), len(_defaults(those))),
                *(levels[level] for level in REACHED + FAILED),
                *(_share(_defaults(those)),),
            )
        )
    head = (key, "problems", "with defects", "defaults", *REACHED + FAILED, "reached in 10 s")
    return f"\n## By {key}\n\n" + _table(head, rows)


def report(records: list[Record], title: str) -> str:
    """The whole report, in Markdown."""
    kinds = Counter(d["kind"] for r in records for d in r["defects"])
    problems = {
        kind: sum(any(d["kind"] == kind for d in r["defects"]) for r in records) for kind in kinds
    }
    levels = Counter(r["level"] for r in records)
    bad = sum(bool(r["defects"]) for r in records)
    parts = [f"# {title}\n\n{len(records)} problems, {bad} with defects.\n"]
    names = [*DEFECTS, *(k for k in kinds if k not in DEFECTS)]
    parts.append(
        "\n## Defects\n\n"
        + _table(("class", "runs", "problems"), [(k, kinds[k], problems.get(k, 0)) for k in names])
    )
    parts.append(
        "\n## How far the main run came\n\n"
        + _table(
            ("level", "all", "defaults"),
            [
                (
                    level,
                    count,
                    sum(r["level"] == level and r.get("method") is None for r in records),
                )
                for level, count in levels.most_common()
            ],
        )
    )
    parts.append(
        "\nDefaults certified to 1e-8 (or to what the precision allows, said so) in 10 s: "
        f"{_share(_defaults(records))} of {len(_defaults(records))}.\n"
    )
    parts += [
        _by(records, key)
        for key in ("objective", "region", "scaling", "stored", "radius", "size", "used")
    ]
    parts.append(_groups(records) + _refusals(records) + _slowest(records) + _short(records))
    return "".join(parts)


def _groups(records: list[Record]) -> str:
    rows = []
    groups = sorted(defect_groups(records).items(), key=lambda item: (item[0][0], -len(item[1])))
    for (kind, cause), those in groups:
        worst = max(
            those,
            key=lambda pair: pair[1]["amount"] if pair[1]["amount"] == pair[1]["amount"] else 0.0,
        )
        seeds = ", ".join(str(r["seed"]) for r, _ in those[:6])
        detail = worst[1]["detail"] if kind not in ("raw error", "warning") else ""
        rows.append((kind, cause.replace("|", "/"), len(those), seeds, detail.replace("|", "/")))
    return "\n## Defects by cause\n\n" + _table(
        ("class", "cause", "runs", "seeds", "the worst"), rows
    )


def _refusals(records: list[Record]) -> str:
    words = Counter(
        (r["objective"], r["region"], str(r["refused"])[:160]) for r in records if r.get("refused")
    )
    rows = [(*key, count) for key, count in words.most_common(30)]
    return "\n## Refused\n\n" + _table(("objective", "region", "words", "times"), rows)


def _slowest(records: list[Record]) -> str:
    slow = sorted(records, key=lambda r: -r.get("seconds", 0.0))[:15]
    rows = [
        (r["seed"], r.get("objective"), r.get("region"), r.get("used"), r.get("seconds"))
        for r in slow
    ]
    return "\n## Slowest runs\n\n" + _table(
        ("seed", "objective", "region", "method", "seconds"), rows
    )


def _short(records: list[Record]) -> str:
    bad = [
        r for r in _defaults(records) if r["level"] not in REACHED or r.get("seconds", 0.0) > 10.0
    ]
    rows = [
        (
            r["seed"],
            r["objective"],
            r["region"],
            r.get("scaling"),
            r.get("stored"),
            r["level"],
            r.get("used"),
            r.get("status"),
            f"{r.get('gap', float('nan')):.2g}",
            f"{r.get('fun', float('nan')):.3g}",
            r.get("seconds"),
        )
        for r in sorted(bad, key=lambda r: (r["region"], r["objective"]))
    ]
    head = (
        "seed",
        "objective",
        "region",
        "scaling",
        "stored",
        "level",
        "method",
        "status",
        "gap",
        "fun",
        "seconds",
    )
    return "\n## Defaults that fell short\n\n" + _table(head, rows)
