"""Views that people look at: plots, the report, notebooks."""
