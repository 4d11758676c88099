"""Mistakes of a user that the type checker finds: one that it does not find is an unused ignore."""

import frankwolfe as fw

gap: str = fw.minimize(fw.SquaredError([[1.0]], [1.0]), fw.L1Ball(1.0)).gap  # type: ignore[assignment]
fw.minimize(fw.L1Ball(1.0))  # type: ignore[call-arg, arg-type]
fw.L1Ball(radius="large")  # type: ignore[arg-type]
