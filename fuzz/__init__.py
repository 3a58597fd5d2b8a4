"""Fuzzers: strange bytes for everything that reads files of strangers."""
