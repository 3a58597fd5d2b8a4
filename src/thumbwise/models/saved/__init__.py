"""Saved models: what a file holds, and how it is checked."""
