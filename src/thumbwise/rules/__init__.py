"""Labeling functions: rules that somebody writes, run over items."""
