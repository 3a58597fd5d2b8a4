"""Whether gold could be a random sample of the pool, and whether its labels belong to its votes."""
