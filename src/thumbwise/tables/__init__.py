"""Named columns from files and frames, and files that are written; no votes yet."""
