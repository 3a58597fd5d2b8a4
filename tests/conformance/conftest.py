"""Laws that cannot hold for a model are skipped with the reason that its case gives."""

from __future__ import annotations

import pytest

from .cases import MODELS, Case


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    laws = {getattr(item, "originalname", None) for item in items}
    for item in items:
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        if isinstance(case, Case) and item.originalname in case.exempt:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.skip(reason=case.exempt[item.originalname]))  # type: ignore[attr-defined]
    if "test_03_every_vote_is_class_0" in laws and "test_numbering_of_classes_is_irrelevant" in laws:
        named = {law for case in MODELS for law in case.exempt}
        assert named <= laws, f"cases are exempt from laws that do not exist: {named - laws}"
