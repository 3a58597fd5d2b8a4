"""Numbers that An and Dasgupta (2024) print: losses, which of them are bold, and sizes of datasets. Typed as printed.

Values follow the order of ``PAPER_NAMES``. The 0-1 loss is in percent.
"""

from __future__ import annotations

from thumbwise.datasets.paper import PAPER_NAMES

# From the units of a row to those of the paper, and the digits that it prints.
SCALES = {"log_loss": 1, "zero_one_loss": 100, "brier_score": 1}
DIGITS = 2
# Half a unit of the last digit printed: so far the value itself may be from its print.
ROUNDING = 0.5 * 10**-DIGITS
N_RUNS = 10

PRINTED: dict[str, dict[str, tuple[float, ...]]] = {
    "log_loss": {
        "MV": (0.31, 2.40, 14.87, 0.66, 5.48, 6.39, 8.73, 0.79, 5.90, 1.27),
        "OCDS": (0.24, 3.75, 4.46, 13.74, 22.32, 2.91, 6.28, 0.78, 1.73, 17.63),
        "DP": (0.42, 1.31, 6.14, 7.01, 9.21, 0.68, 3.98, 0.53, 2.61, 0.72),
        "EBCC": (0.13, 0.45, 4.25, 0.90, 1.80, 0.73, 2.23, 0.43, 0.81, 0.69),
        "HyperLM": (0.21, 1.31, 6.93, 0.60, 1.29, 0.62, 2.66, 0.68, 0.60, 0.42),
        "AMCL_CC": (0.14, 1.26, 14.86, 0.42, 5.42, 1.46, 8.73, 0.69, 0.85, 0.70),
        "BF": (0.13, 0.39, 0.68, 0.20, 1.12, 0.59, 0.61, 0.42, 0.64, 0.50),
        "best_approximator": (0.01, 0.32, 0.65, 0.13, 1.01, 0.57, 0.59, 0.25, 0.54, 0.21),
    },
    "zero_one_loss": {
        "MV": (1.31, 24.54, 52.05, 34.95, 45.73, 29.40, 27.62, 31.92, 31.84, 18.79),
        "OCDS": (2.11, 11.29, 52.05, 39.79, 80.17, 49.81, 27.62, 9.67, 46.74, 52.40),
        "DP": (3.15, 11.29, 50.88, 39.79, 72.51, 30.48, 27.62, 32.19, 46.78, 34.75),
        "EBCC": (1.57, 36.33, 52.05, 39.79, 48.23, 28.26, 27.62, 8.16, 36.02, 52.40),
        "HyperLM": (2.55, 36.36, 52.05, 7.96, 41.98, 27.74, 27.62, 53.73, 32.92, 20.37),
        "AMCL_CC": (2.00, 12.14, 49.18, 3.11, 36.82, 31.74, 27.62, 45.04, 37.39, 38.88),
        "BF": (3.67, 11.40, 40.47, 3.11, 36.75, 29.33, 27.62, 13.50, 34.42, 24.34),
        "best_approximator": (0.58, 11.27, 36.26, 3.11, 37.26, 28.74, 27.62, 8.09, 26.54, 7.31),
    },
    "brier_score": {
        "MV": (0.15, 0.31, 0.95, 0.35, 0.62, 0.47, 0.54, 0.32, 0.49, 0.23),
        "OCDS": (0.04, 0.23, 1.02, 0.80, 1.60, 0.95, 0.55, 0.18, 0.72, 1.05),
        "DP": (0.06, 0.23, 1.01, 0.80, 1.36, 0.45, 0.55, 0.36, 0.71, 0.40),
        "EBCC": (0.03, 0.29, 1.03, 0.62, 0.74, 0.45, 0.55, 0.25, 0.51, 0.50),
        "HyperLM": (0.10, 0.45, 0.94, 0.31, 0.65, 0.41, 0.45, 0.50, 0.41, 0.26),
        "AMCL_CC": (0.06, 0.23, 0.93, 0.06, 0.54, 0.46, 0.54, 0.49, 0.48, 0.47),
        "BF": (0.06, 0.22, 0.49, 0.08, 0.55, 0.41, 0.42, 0.25, 0.45, 0.33),
        "best_approximator": (0.01, 0.19, 0.46, 0.06, 0.51, 0.38, 0.40, 0.14, 0.36, 0.12),
    },
}

# Not distinguishable from the best method by a paired two-sided t-test at 0.05. The best approximator, which has seen
# the truth, does not compete.
BOLD: dict[str, dict[str, tuple[str, ...]]] = {
    "log_loss": {
        "MV": (),
        "OCDS": (),
        "DP": (),
        "EBCC": ("aa2",),
        "HyperLM": ("yelp", "youtube"),
        "AMCL_CC": ("aa2",),
        "BF": ("aa2", "basketball", "breast_cancer", "cardio", "domain", "imdb", "obs", "sms"),
    },
    "zero_one_loss": {
        "MV": ("aa2", "obs", "yelp", "youtube"),
        "OCDS": ("basketball", "obs"),
        "DP": ("basketball", "obs"),
        "EBCC": ("aa2", "obs", "sms"),
        "HyperLM": ("imdb", "obs"),
        "AMCL_CC": ("cardio", "domain", "obs"),
        "BF": ("basketball", "breast_cancer", "cardio", "domain", "obs", "yelp"),
    },
    "brier_score": {
        "MV": ("youtube",),
        "OCDS": ("basketball", "sms"),
        "DP": ("basketball",),
        "EBCC": ("aa2",),
        "HyperLM": ("yelp",),
        "AMCL_CC": ("basketball", "cardio", "domain"),
        "BF": ("basketball", "breast_cancer", "domain", "imdb", "obs"),
    },
}

# Standard deviation over the ten runs of the methods that have chance in them, in the same units. The paper does not
# print it; it is that of the result files that its authors published with their code, rounded.
SPREADS: dict[str, dict[str, tuple[float, ...]]] = {
    "log_loss": {
        "DP": (0.06185, 0.2115, 0.01298, 0.2398, 0.8404, 0.04656, 0.01961, 0.0399, 0.2776, 0.04916),
        "EBCC": (0.09423, 0.0, 0.1553, 0.003163, 0.0296, 0.0, 0.0006765, 0.0, 0.0052, 0.00003),
        "AMCL_CC": (0.008711, 0.2857, 0.003093, 0.04229, 0.05695, 0.2776, 0.006621, 0.01198, 0.0753, 0.01288),
        "BF": (0.01804, 0.02078, 0.009564, 0.03078, 0.02857, 0.01008, 0.01818, 0.0135, 0.0245, 0.01074),
    },
    "zero_one_loss": {
        "DP": (0.4744, 0.0, 0.0, 0.0, 0.5077, 0.004, 0.0, 0.07374, 0.01, 2.58),
        "EBCC": (0.5258, 0.0, 0.0, 0.0, 0.47, 0.0, 0.0, 0.0, 0.01, 0.0),
        "AMCL_CC": (0.3846, 0.0, 1.876, 0.0, 0.9816, 2.573, 0.0, 2.802, 1.89, 0.4288),
        "BF": (1.124, 0.2676, 6.082, 0.0, 1.023, 0.2233, 0.0, 0.0, 4.49, 0.6577),
    },
    "brier_score": {
        "DP": (0.008151, 0.0006259, 0.0009089, 0.0, 0.005319, 0.01329, 0.0002149, 0.03245, 0.0265, 0.03551),
        "EBCC": (0.01119, 0.0, 0.001642, 0.001398, 0.0067, 0.0, 0.0, 0.0, 0.0018, 0.00003),
        "AMCL_CC": (0.005299, 0.006549, 0.003044, 0.006611, 0.008236, 0.005614, 0.003177, 0.01153, 0.0105, 0.005814),
        "BF": (0.009143, 0.01436, 0.009526, 0.0148, 0.0155, 0.009001, 0.01724, 0.00884, 0.0235, 0.009341),
    },
}

# Classes, rules, training items, validation items, and whether rules abstain.
STATISTICS: dict[str, tuple[int, int, int, int, bool]] = {
    "aa2": (2, 36, 1372, 172, False),
    "basketball": (2, 4, 17970, 1064, True),
    "breast_cancer": (2, 3, 171, 227, False),
    "cardio": (2, 3, 289, 385, False),
    "domain": (5, 5, 2587, 323, False),
    "imdb": (2, 8, 20000, 2500, True),
    "obs": (2, 3, 239, 317, False),
    "sms": (2, 73, 4571, 500, True),
    "yelp": (2, 8, 30400, 3800, True),
    "youtube": (2, 10, 1586, 120, True),
}


def printed_loss(loss: str, method: str, dataset: str) -> float:
    """The paper's mean over its runs."""
    return PRINTED[loss][method][PAPER_NAMES.index(dataset)]


def is_bold(loss: str, method: str, dataset: str) -> bool:
    """Whether the paper prints it in bold."""
    return dataset in BOLD[loss].get(method, ())


def published_spread(loss: str, method: str, dataset: str) -> float:
    """Standard deviation over the authors' runs; 0 for a method without chance."""
    spreads = SPREADS[loss].get(method)
    return 0.0 if spreads is None else spreads[PAPER_NAMES.index(dataset)]
