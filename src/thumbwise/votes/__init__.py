"""Votes: what people pass as votes, checked, here or where the items are."""
