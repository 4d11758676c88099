"""Graphs: checked lists of edges, flows of least cost, unions of bases."""
