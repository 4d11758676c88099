"""The benchmark suite: problems, rounds, reading, tables and claims; run by bench.py."""
