#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when ranks that the real mpirun of Open MPI and mpiexec of MPICH start find each other, alone and beside MPI.
Skipped (77), loudly, where neither is installed; says which one is missing.

usage: mpi.py TUTTI RANKS OPENMPI_RANKS MPICH_RANKS
       RANKS are the test program without MPI, with Open MPI and with MPICH; "none" where that is not installed.
"""
import os
import pathlib
import re
import sys

from started import expect, expect_all, expect_env, expect_one_bench, expect_told, found, run, skip

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
OPEN_MPI = ["mpirun.openmpi", *AS_ROOT, "--oversubscribe", "--mca", "oob_tcp_if_include", "lo", "--mca",
            "btl_tcp_if_include", "lo", "-n", "3"]
HYDRA = ["mpiexec.mpich", "-n", "3"]
# A launcher that ends all ranks when one is lost leaves nobody to be told. Hydra has no reliable way to be told not to:
# there the ranks run in sessions of their own, beyond its reach, and end by themselves after the deadline.
PATIENT = {"mpirun.openmpi": ["--enable-recovery"], "mpiexec.mpich": ["setsid", "--fork", "--wait"]}


def expect_refused(launch, words, sentence):
    status, output = run([*launch, *words])
    expect(status not in (0, 124) and sentence in output, f"{' '.join(words[1:])} under {launch[0]} is refused", output)


def expect_one_rank(launch, tutti):
    """A job of one process is a world of one rank, and more are started where they are asked for."""
    alone = [*launch[:-1], "1"]
    for more, ranks in (((), "1 rank "), (("--ranks", "2"), "2 ranks ")):
        status, output = run([*alone, tutti, "bench", *more, "--bytes", "8", "-n", "1"])
        expect(status == 0 and f"# tutti bench: {ranks}" in output, f"{launch[0]} -n 1 tutti bench gives {ranks}", output)


def cores():
    """Those that this process may run on; threads of one core are one."""
    topology = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    files = [pathlib.Path(topology.format(processor)) for processor in os.sched_getaffinity(0)]
    return len({file.read_text() if file.exists() else file for file in files})


def expect_own_processors(tutti):
    """Open MPI binds each of two ranks to a core. None of them takes the other for one that needs its own."""
    if cores() < 2:
        print("SKIPPED in part: that bound ranks are not crowded was NOT tested, since there is one core")
        return
    launch = [word for word in OPEN_MPI[:-1] if word != "--oversubscribe"]
    status, output = run([*launch, "2", tutti, "bench", "--transport", "shared_memory", "--bytes", "8", "-n", "1"])
    expect(status == 0 and re.search(r"^# rank 0 on processors? [\d,-]+, not crowded; rank 1 on processors? [\d,-]+, not crowded$",
                                     output, re.MULTILINE), "two ranks that mpirun binds are not crowded", output)


def try_launcher(launch, name, tutti, plain, beside):
    expect_env(launch, tutti, 3, name)
    expect_one_bench(launch, tutti, 3)
    expect_one_rank(launch, tutti)
    expect_refused(launch, [tutti, "bench", "--ranks", "7"], "] --ranks 7 was asked for, but the launcher started 3")
    expect_refused(launch, [tutti, "bench", "--transport", "memory"], "threads of one process")
    expect_refused(launch, [tutti, "fit"], "starts the ranks that it measures")
    expect_all(launch, [plain, "alone"], 3, "alone")
    expect_told([*launch, *PATIENT[launch[0]]], plain, 3, 1)
    for how in ("tutti-first", "mpi-first", "twice", "invited", "alone"):
        expect_all(launch, [beside, how], 3, how)


def main(tutti, plain, with_open_mpi, with_mpich):
    tried = 0
    for launch, name, beside in ((OPEN_MPI, "Open MPI", with_open_mpi), (HYDRA, "PMI", with_mpich)):
        if beside == "none" or not found(launch[0]):
            print(f"SKIPPED in part: {launch[0]} was NOT tested, since it or its library is not installed")
            continue
        try_launcher(launch, name, tutti, plain, beside)
        if launch is OPEN_MPI:
            expect_own_processors(tutti)
        tried += 1
    if not tried:
        skip("no launcher of MPI was tested")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
