#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when processes that no launcher started find each other by an invitation in a file.

usage: invitation.py RANKS
"""
import pathlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from started import expect, run

SIZE = 3


def main(ranks):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(SIZE) as pool:
        file = pathlib.Path(folder) / "invitation"
        ended = list(pool.map(lambda rank: run([ranks, "by-file", str(file), str(rank), str(SIZE)]), range(SIZE)))
        for rank, (status, output) in enumerate(ended):
            expect(status == 0 and output == f"by-file: rank {rank} of {SIZE}\n", f"rank {rank} joins", output)
        text = file.read_text()
        (pathlib.Path(folder) / "old").write_text(text)
        status, output = run([ranks, "by-file", str(pathlib.Path(folder) / "old"), "1", "2"],
                             {"TUTTI_BOOTSTRAP_TIMEOUT": "1"})
        expect(status == 1 and "could not reach" in output, "an invitation that is over leads nowhere", output)
        expect(text.split("@")[0][8:] not in output, "the secret is told in no error", output)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
