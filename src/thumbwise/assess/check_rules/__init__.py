"""Checks of rules, gold and fits, for what can be wrong with them: one file a subject, one function a check."""
