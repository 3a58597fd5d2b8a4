"""What a fit says, as tidy tables that reports print and plots draw: one file a subject, pure functions, no drawing."""
