"""The largest figure: ten rules and 10^7 items against Snorkel and crowd-kit, and how far the machine would go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.launching import Job, Measurement, measure
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions


@dataclass(frozen=True)
class Peer:
    """Another library's method: on how many items it runs, and how many times as fast thumbwise is asked to be."""

    name: str
    worker: str
    n_items: int
    asked: float
    options: tuple[str, ...] = ()

    def job(self, directory: Path, python: str) -> Job:
        return Job(self.worker, directory, self.n_items, *self.options, python=python)


def compare_at_scale(settings: Settings) -> Table:
    """Fit and probabilities, time and memory."""
    n_items, n_crowd = settings.items(10_000_000), settings.items(1_000_000)
    peers = [
        Peer("Snorkel LabelModel", "snorkel_label_model", n_items, 25),
        Peer(f"crowd-kit OneCoinDawidSkene, from {n_crowd:,}", "crowdkit_dawid_skene", n_crowd, 300, ("one_coin",)),
    ]
    folder = settings.votes(n_items)
    ours, reused, skene, warm, fresh, *theirs = measure(
        Job("thumbwise_fit", folder, n_items, "bf", 100),
        Job("thumbwise_fit", folder, n_items, "bf", 100, "--reuse"),
        Job("thumbwise_fit", folder, n_items, "dawid_skene", 0),
        Job("copy_speed", n_items * 16e-6, "warm"),
        Job("copy_speed", n_items * 16e-6, "fresh"),
        *(peer.job(folder, settings.peers) for peer in peers if settings.peers),
        max_runs=settings.n_runs,
    )
    rows = [
        _fit_row("thumbwise BalsubramaniFreund, array twice", ours, ours),
        _fit_row("thumbwise BalsubramaniFreund, Votes reused", reused, ours),
        _fit_row("thumbwise DawidSkene, array twice", skene, ours),
        *(_peer_row(peer, fit, n_items, ours) for peer, fit in zip(peers, theirs, strict=False)),
        *(_same_model_row(peer, fit, n_items, skene) for peer, fit in zip(peers[1:], theirs[1:], strict=False)),
        _memory_row(ours),
        *_limit_rows(ours, warm, fresh),
    ]
    notes = [
        f"Ratio to the first row, but where another is named. crowd-kit is measured at {n_crowd:,} items and its time "
        f"multiplied by {n_items // n_crowd}; its table of one row a vote is made before the time starts.",
        "BalsubramaniFreund has 100 gold labels. Log loss shows that each method did its work; it is no contest:",
        "BalsubramaniFreund answers for the worst case that 100 labels leave open, on data that suit the others.",
    ]
    title = f"{n_items:,} items, 10 rules, fit and probabilities"
    return Table(title, rows, notes, merge_versions(ours, *theirs))


def _fit_row(name: str, fit: Measurement, ours: Measurement) -> Row:
    return Row.of(name, fit, fit.seconds / ours.seconds, remarks=f"log loss {fit.checks['log_loss']:.3f}")


def _peer_row(peer: Peer, fit: Measurement, n_items: int, ours: Measurement) -> Row:
    factor = n_items / peer.n_items
    ratio = factor * fit.seconds / ours.seconds
    full = replace(fit, seconds=factor * fit.seconds, slowest=factor * fit.slowest)
    measured = "" if peer.n_items == n_items else f"; measured {fit.seconds:.1f} s"
    remarks = f"log loss {fit.checks['log_loss']:.3f}{measured}"
    return Row.of(peer.name, full, ratio, f">= {peer.asked:.0f}", ratio >= peer.asked, remarks)


def _same_model_row(peer: Peer, fit: Measurement, n_items: int, skene: Measurement) -> Row:
    """One coin against one coin."""
    row = _peer_row(peer, fit, n_items, skene)
    return replace(row, name="the same, ratio to thumbwise DawidSkene", remarks="the same kind of model")


def _memory_row(ours: Measurement) -> Row:
    """Asked: input, twice the output and 1 GB. The labels given to ``fit`` are not even counted as input."""
    limit = ours.checks["input_mb"] + 2 * ours.checks["output_mb"] + 1000
    remarks = "of the first row; input + 2 x output + 1 GB"
    return Row(
        "memory", peak_mb=ours.peak_mb, asked=f"<= {limit:,.0f} MB", reached=ours.peak_mb <= limit, remarks=remarks
    )


def _limit_rows(ours: Measurement, warm: Measurement, fresh: Measurement) -> list[Row]:
    """What moving the bytes alone costs: votes read by fit and by predict_proba, probabilities written once."""
    moved_mb = 2 * ours.checks["input_mb"] + ours.checks["output_mb"]
    limit = moved_mb / 1000 / warm.checks["gb_per_second"]
    touch = fresh.seconds - warm.seconds
    moved = f"{moved_mb:.0f} MB at {warm.checks['gb_per_second']:.1f} GB/s"
    first = f"first touch of {ours.checks['output_mb']:.0f} MB adds {touch:.3f} s, at worst {fresh.slowest:.2f} s"
    return [
        Row("limit: bytes moved, memory touched before", limit, ratio=limit / ours.seconds, remarks=moved),
        Row("limit: output in fresh memory", limit + touch, ratio=(limit + touch) / ours.seconds, remarks=first),
    ]
