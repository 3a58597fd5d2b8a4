"""What the library claims, beside what people use instead: ``python -m studies.claims``; one module for each claim."""
