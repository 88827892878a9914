#!/usr/bin/env python3
"""Times one step of PageRank with scipy, on one thread: a sparse matrix-vector product and the vector arithmetic around
it, in 32-bit floats. Needs numpy and scipy.

    python3 benches/scipy_step.py EDGES [--repeat N]

EDGES is a text file with one edge per line, "source target", with vertices numbered from 0; lines that start with # are
comments. Every edge goes from its source to its target only. Prints the median time of a step in milliseconds.
"""

import os

# Must be set before numpy is imported.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import time

import numpy as np
from scipy.sparse import csr_matrix

DAMPING = np.float32(0.85)


def load(path):
    """Returns the matrix whose rows are in-edges, and the out-degrees."""
    edges = np.loadtxt(path, dtype=np.int64, comments="#", usecols=(0, 1), ndmin=2)
    n = int(edges.max()) + 1
    ones = np.ones(len(edges), dtype=np.float32)
    matrix = csr_matrix((ones, (edges[:, 1], edges[:, 0])), shape=(n, n))
    return matrix, np.bincount(edges[:, 0], minlength=n).astype(np.float32)


def step(matrix, degrees, is_dangling, ranks):
    """Returns the ranks after one more step."""
    n = np.float32(len(ranks))
    dangling = ranks[is_dangling].sum()
    return (1 - DAMPING) / n + DAMPING * (matrix @ (ranks / degrees) + dangling / n)


def main():
    parser = argparse.ArgumentParser(description="Times one step of PageRank with scipy, on one thread.")
    parser.add_argument("edges", help="text file with one edge per line")
    parser.add_argument("--repeat", type=int, default=41, help="number of timed steps [41]")
    arguments = parser.parse_args()

    matrix, degrees = load(arguments.edges)
    is_dangling = np.flatnonzero(degrees == 0)
    # Dangling vertices have no column in the matrix, so that their quotient does not matter. It must not be NaN.
    degrees[is_dangling] = 1
    ranks = np.full(matrix.shape[0], 1 / matrix.shape[0], dtype=np.float32)
    times = []
    # The first step also pays for the first use of its memory.
    for _ in range(arguments.repeat + 1):
        began = time.perf_counter()
        ranks = step(matrix, degrees, is_dangling, ranks)
        times.append(time.perf_counter() - began)
    assert ranks.dtype == np.float32
    print(f"ms per step: {np.median(times[1:]) * 1e3:.4f}")


if __name__ == "__main__":
    main()
