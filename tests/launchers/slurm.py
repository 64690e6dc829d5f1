#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the tasks of a real Slurm with two virtual nodes find each other: under srun --mpi=pmi2, which has a place
for address and secret, under plain srun, and beside MPICH. Skipped (77), loudly, where Slurm is not installed or does
not start.

usage: slurm.py TUTTI RANKS MPICH_RANKS
"""
import re
import sys

from slurm_cluster import cluster
from started import expect, expect_all, expect_env, expect_one_bench, expect_told, free_port, run

TWO_NODES = ["srun", "-Q", "-N2", "-n4", "--mpi=none"]
PMI = ["srun", "-Q", "-N2", "-n4", "--mpi=pmi2"]


def by_hand(here):
    """What plain srun needs here, where the names of the nodes mean nothing outside of Slurm."""
    return here | {"TUTTI_ADDRESS": f"127.0.0.1:{free_port()}", "TUTTI_SECRET": "of sixteen bytes or more"}


def try_pmi(here, tutti, ranks, beside):
    output = expect_env(PMI, tutti, 4, "PMI", here)
    hosts = re.findall(r"\] host +(n\d), by SLURMD_NODENAME", output)
    expect(sorted(hosts) == ["n1", "n1", "n2", "n2"], "two nodes of one host name are two hosts", output)
    expect_one_bench(PMI, tutti, 4, here)
    expect_all(PMI, [ranks, "alone"], 4, "alone", here)
    if beside == "none":
        print("SKIPPED in part: MPICH under srun was NOT tested, since it is not installed")
        return
    for how in ("mpi-first", "invited"):
        expect_all(PMI, [beside, how], 4, how, here)
    status, output = run([*PMI, beside, "tutti-first"], here)
    expect(status not in (0, 124) and "call MPI_Init before" in output, "Slurm's PMI before MPI_Init is refused", output)


def try_plain(here, tutti, ranks):
    expect_all(TWO_NODES, [ranks, "alone"], 4, "alone", by_hand(here))
    expect_told(TWO_NODES, ranks, 4, 2, by_hand(here))
    expect_one_bench(TWO_NODES, tutti, 4, by_hand(here))
    one_node = ["srun", "-Q", "-N1", "-n3", "--mpi=none"]
    expect_env(one_node, tutti, 3, "Slurm", here)
    expect_all(one_node, [ranks, "alone"], 3, "alone", here)
    try_pmix(here, ranks)
    status, output = run([*TWO_NODES, tutti, "env"], here)
    expect(status != 0 and "the rendezvous host n1 is not known" in output, "tutti env finds what would fail", output)
    status, output = run(["srun", "-Q", "-n1", "sh", "-c", f"exec {ranks} alone"], here)
    expect(status == 0 and "rank 0 of 1" in output, "a step of one task is a world of one", output)


def try_pmix(here, ranks):
    """On one node: over two virtual ones, which share a host, Slurm's PMIx does not come up."""
    _, kinds = run(["srun", "--mpi=list"], here)
    if "pmix" not in kinds:
        print("SKIPPED in part: srun --mpi=pmix was NOT tested, since this Slurm has none")
        return
    expect_all(["srun", "-Q", "-N1", "-n3", "--mpi=pmix"], [ranks, "alone"], 3, "alone", here)


def try_batch(here, ranks):
    """The script itself has SLURM_PROCID, and is no rank."""
    status, output = run(["sbatch", "-W", "-Q", "-N2", "-n4", "-o", "/dev/null", "--wrap", f"{ranks} alone"], here)
    expect(status not in (0, 124), "a batch script without srun is no world of one", output)


def main(tutti, ranks, beside):
    with cluster() as here:
        try_pmi(here, tutti, ranks, beside)
        try_plain(here, tutti, ranks)
        try_batch(here, ranks)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
