"""One run of the library, with everything it says and does written down."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import dataclass, field
from typing import Any

import frankwolfe as fw

from .cases import Case

__all__ = ["Run", "run"]


@dataclass
class Run:
    """What a run did: a result, or why there is none."""

    method: str | None  # as it was asked for; None is the default
    seconds: float = 0.0  # of the processor, of which a run has one: others may use the machine
    result: Any = None
    refused: str = ""
    error: str = ""  # a raw error: its last line and where it was raised
    warned: list[str] = field(default_factory=list)
    proof: Any = None  # bounds that claim to hold to the last digit
    proving: float = 0.0  # seconds

    @property
    def name(self) -> str:
        return self.method or "default"


def run(case: Case, method: str | None, *, short: bool) -> Run:
    """A run of the case by a method; a short one has limits on steps and time."""
    done = Run(method)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            objective, region = case.build()
            options: dict[str, Any] = {"method": method, "tol": case.tol}
            if short:
                options = {"method": method, "tol": 1e-13, "max_iter": 200, "stop": fw.Seconds(0.5)}
            elif method is not None:
                options |= {"max_iter": 2000, "stop": fw.Seconds(5.0)}
            x0 = case.start(fw.Problem(objective, region))
            began = time.process_time()
            done.result = fw.minimize(objective, region, x0=x0, **options)
        except fw.InvalidInput as error:
            done.refused = str(error)
        except Exception as error:  # whatever it is, it is what a user would see
            done.error = _told(error)
        done.seconds = time.process_time() - began
        if done.result is not None:
            _prove(done)
    done.warned = sorted({f"{w.category.__name__}: {str(w.message)[:120]}" for w in caught})
    return done


def _prove(done: Run) -> None:
    """The proof of a result, where there can be one."""
    began = time.process_time()
    try:
        done.proof = done.result.verify()
    except fw.errors.Unproven:
        pass
    except Exception as error:
        done.error = _told(error)
    done.proving = time.process_time() - began


def _told(error: Exception) -> str:
    places = [f for f in traceback.extract_tb(error.__traceback__) if "frankwolfe" in f.filename]
    last = places[-1] if places else traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename.rpartition('frankwolfe/')[2]}:{last.name}"
    return f"{type(error).__name__}: {str(error)[:160]} ({place})"
