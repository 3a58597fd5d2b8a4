"""Exports of evaluation tools: one file a format, one type that all of them come to."""
