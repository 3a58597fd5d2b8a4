"""What can be wrong with rules, gold and fits: one file a subject, one function a check."""
