"""The other methods against their originals: Dawid-Skene, data programming, EBCC, AMCL, the hyper label model."""

from __future__ import annotations

from benchmarks.game import paper_folder
from benchmarks.launching import Job, Measurement, measure
from benchmarks.scale import Peer
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions


def compare_dawid_skene(settings: Settings) -> Table:
    """One coin and whole confusion matrices, against crowd-kit."""
    n_items = settings.items(1_000_000)
    peers = [
        Peer("crowd-kit OneCoinDawidSkene", "crowdkit_dawid_skene", n_items, 100, ("one_coin",)),
        Peer("crowd-kit DawidSkene", "crowdkit_dawid_skene", n_items, 50, ("full",)),
    ]
    rows, versions = _against(settings, n_items, ["dawid_skene", "dawid_skene_full"], peers)
    return Table(f"Dawid-Skene, {n_items:,} items, 10 rules, fit and probabilities", rows, [_NOTE], versions)


def compare_data_programming(settings: Settings) -> Table:
    """The label model of Snorkel."""
    n_items = settings.items(100_000)
    peers = [Peer("Snorkel LabelModel", "snorkel_label_model", n_items, 10)]
    rows, versions = _against(settings, n_items, ["data_programming"], peers)
    return Table(f"Data programming, {n_items:,} items, 10 rules, fit and probabilities", rows, [_NOTE], versions)


_NOTE = "Ratio: seconds over those of the row above. Array given to fit and again to predict_proba."


def _against(
    settings: Settings, n_items: int, models: list[str], peers: list[Peer]
) -> tuple[list[Row], dict[str, str]]:
    folder = settings.votes(n_items)
    ours = [Job("thumbwise_fit", folder, n_items, model, 0) for model in models]
    theirs = [peer.job(folder, settings.peers) for peer in peers if settings.peers]
    fits = measure(*ours, *theirs, max_runs=settings.n_runs)
    rows: list[Row] = []
    for i, (model, peer) in enumerate(zip(models, peers, strict=True)):
        rows.append(_memory_judged(f"thumbwise {model}", fits[i]))
        if theirs:
            rows.append(_peer_row(peer, fits[len(models) + i], fits[i]))
    return rows, merge_versions(*fits)


def _memory_judged(name: str, fit: Measurement) -> Row:
    """Asked, as for the model of the product: input, twice the output and 1 GB."""
    limit = fit.checks["input_mb"] + 2 * fit.checks["output_mb"] + 1000
    return Row.of(name, fit, 1, f"<= {limit:,.0f} MB", fit.peak_mb <= limit, _says(fit))


def _peer_row(peer: Peer, theirs: Measurement, ours: Measurement) -> Row:
    ratio = theirs.seconds / ours.seconds
    return Row.of(peer.name, theirs, ratio, f">= {peer.asked:.0f}", ratio >= peer.asked, _says(theirs))


def _says(fit: Measurement) -> str:
    iterations = fit.checks.get("n_iter")
    return f"log loss {fit.checks['log_loss']:.3f}" + (f", {iterations} iterations" if iterations else "")


def compare_on_imdb(settings: Settings) -> Table:
    """EBCC against the same updates item by item; the exact AMCL against 500 subgradient steps."""
    path = paper_folder() / "imdb.mat"
    if not path.exists():
        return Table(
            "EBCC and AMCL on IMDB", [Row("imdb", remarks="left out: no paper/imdb.mat in THUMBWISE_DATA")], []
        )
    ebcc, by_item, exact, steps = measure(
        Job("paper_ebcc", path, "patterns"),
        Job("paper_ebcc", path, "items"),
        Job("paper_amcl", path, "exact"),
        Job("paper_amcl", path, "subgradient"),
        max_runs=settings.n_runs,
    )
    rows = [
        Row.of("thumbwise EBCC", ebcc, 1, remarks=_says(ebcc)),
        _slower("the same updates, item by item", by_item, ebcc, 20, _says(by_item)),
        Row.of("thumbwise AMCL", exact, 1, remarks=f"worst-case Brier {exact.checks['bound']:.6f}"),
        _slower(
            "500 subgradient steps on patterns", steps, exact, 200, f"worst-case Brier {steps.checks['bound']:.6f}"
        ),
    ]
    notes = [
        "EBCC with 10 random starts each. AMCL with 100 gold labels. Votes read and counted before the time starts."
    ]
    return Table("EBCC and AMCL on IMDB", rows, notes, merge_versions(ebcc, exact))


def _slower(name: str, theirs: Measurement, ours: Measurement, asked: float, remarks: str) -> Row:
    ratio = theirs.seconds / ours.seconds
    return Row.of(name, theirs, ratio, f">= {asked:.0f}", ratio >= asked, remarks)


def measure_hyper(settings: Settings) -> Table:
    """The network that needs 8.7 GB for a million items in its own package."""
    n_items = settings.items(1_000_000)
    job = Job("thumbwise_fit", settings.votes(n_items), n_items, "hyper", 0)
    (fit,) = measure(job, max_runs=settings.n_runs)
    rows = [_memory_judged("thumbwise HyperLabelModel", fit)]
    return Table(f"Hyper label model, {n_items:,} items, 10 rules", rows, [], merge_versions(fit))
