#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when ranks that torchrun starts find each other. Skipped (77), loudly, where there is no torchrun.

usage: torchrun.py TUTTI RANKS
"""
import sys
import tempfile

from started import expect_all, expect_env, expect_one_bench, expect, found, free_port, run, skip


def main(tutti, ranks):
    if not found("torchrun"):
        skip("torchrun was NOT tested, since it is not installed")
    with tempfile.TemporaryDirectory() as logs:
        try_torchrun(tutti, ranks, logs)


def try_torchrun(tutti, ranks, logs):
    # --no_python: older ones do not know --no-python. -r and -t: that of Debian 12 fails without.
    launch = ["torchrun", "--nproc_per_node", "2", "--master_addr", "127.0.0.1", "--master_port", str(free_port()),
              "-r", "1", "-t", "1", "--log_dir", logs, "--no_python"]
    expect_env(launch, tutti, 2, "torchrun")
    expect_one_bench(launch, tutti, 2)
    expect_all(launch, [ranks, "alone"], 2, "alone")
    # The agent ends the others soon after one was lost: they may or may not come to say so, and none may hang.
    status, output = run([*launch, ranks, "lost", "1"])
    expect(status not in (0, 124), "a lost rank ends the job with an error", output)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
