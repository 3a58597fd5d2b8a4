"""Votes on single items, looked up when somebody has labeled them."""

from __future__ import annotations

from thumbwise.io.readings import Reading


class VotesOnItems:
    """Votes of a reading by the id of an item."""

    def __init__(self, reading: Reading) -> None:
        self._votes = reading.votes
        self._rows = {str(item): row for row, item in enumerate(reading.votes.item_ids.tolist())}

    def on(self, item: object) -> list[dict[str, str]]:
        """Who voted for what; nobody, if there is no such item."""
        row = self._rows.get(str(item))
        if row is None:
            return []
        votes = self._votes.take([row]).array[0].tolist()
        names = [str(name) for name in self._votes.class_names]
        pairs = zip(self._votes.rule_names, votes, strict=True)
        return [{"rule": str(rule), "vote": names[vote]} for rule, vote in pairs if vote >= 0]
