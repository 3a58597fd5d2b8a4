"""Numbers that people report: shares of a class, means, and differences, with intervals that hold."""
