"""Spark on this machine, for trying things out; on a cluster the session is yours."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from typing import Any

from thumbwise.exceptions import MissingPackageError


def start_local_spark(n_threads: int = 2, *, n_partitions: int = 4) -> Any:
    """A Spark session in this process's care, which listens on the loopback address only and shows no web page.

    Parameters
    ----------
    n_threads : int
    n_partitions : int
        Of what is shuffled.

    Raises
    ------
    MissingPackageError
        PySpark or a Java runtime is missing.
    """
    check_java()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions of libraries that are not used here
            from pyspark.sql import SparkSession  # noqa: PLC0415  # optional, and slow to import
    except ImportError as error:
        raise MissingPackageError("Spark needs the package pyspark: pip install 'thumbwise[spark]'.") from error
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": str(n_partitions),
    }
    builder = SparkSession.builder.master(f"local[{n_threads}]").appName("thumbwise")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.getOrCreate()


def check_java() -> None:
    """Refuse to start Spark where it could only fail with a message about a gateway."""
    home = os.environ.get("JAVA_HOME")
    is_installed = Path(home, "bin", "java").exists() if home else shutil.which("java") is not None
    if not is_installed:
        where = f"JAVA_HOME={home!r} holds no bin/java" if home else "there is no java on the PATH"
        raise MissingPackageError(
            f"Spark needs a Java runtime, version 17 or later; {where}. Install one (Debian: apt install "
            "openjdk-17-jre-headless), or use DuckDB or polars, which need none."
        )
