"""Judges against gold: what each says, how often that is right, with whom it errs, and what it costs."""
