"""The bench: a page on this machine where gold labels are made, drawn at random and kept as they are given."""
