"""What people look at: plots, the report, notebooks."""
