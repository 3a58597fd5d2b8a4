"""The models of the package, found as the package finds them: a new one is tested without being listed."""

from __future__ import annotations

from typing import Any

from thumbwise.models.base import LabelModel
from thumbwise.models.registry import registered


def package_models() -> dict[str, type[LabelModel]]:
    """By name, without those that tests define."""
    return {name: model for name, model in registered().items() if model.__module__.startswith("thumbwise.")}


def fit_plainly(model: LabelModel, votes: Any, y: Any) -> Any:
    """Fitted to votes alone, or with labels if the model needs them."""
    return model.fit(votes, y if model._needs_labels else None)
