"""Benchmarks: ``python -m benchmarks`` from the root of the repository."""
