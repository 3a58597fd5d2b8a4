"""Studies: how often the guarantee holds, what splits of the error budget buy, and what a hold-out would say.

``python -m studies.coverage``, ``python -m studies.budgets`` and ``python -m studies.holdout``, from the root of the
repository.
"""
