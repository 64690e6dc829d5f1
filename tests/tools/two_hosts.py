#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when four ranks on two hosts (namespaces with a cable between them) reduce right over `routed`, and what the
library chooses there is hierarchical and spares the cable. Skipped (77), loudly, where no namespaces can be made.

usage: two_hosts.py TWO_HOSTS TUTTI
"""
import json
import re
import subprocess
import sys
import tempfile

SIZE = 1 << 20
RANKS = 4


def bench(two_hosts, tutti, transport, algorithm, more=()):
    """The rows, and the bytes that the cable carried in both directions."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run(
            [two_hosts, "--deadline", "90", "--", tutti, "bench", "--transport", transport, "--algorithm", algorithm,
             "--place", "in", "--json", file.name, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 77:
            print(f"SKIPPED: routed was NOT tested between namespaces.\n{done.stdout}")
            sys.exit(77)
        print(done.stdout)
        if done.returncode != 0:
            sys.exit(f"tools/two-hosts ended with status {done.returncode}")
        return json.load(file), sum(map(int, re.findall(r"(\d+) bytes from", done.stdout)))


def expect(holds, sentence):
    if not holds:
        sys.exit(f"not so: {sentence}")


def main(two_hosts, tutti):
    rows, _ = bench(two_hosts, tutti, "routed", "auto", ("-b", "8", "-e", "1M", "-f", "128", "-n", "5"))
    expect([row["bytes"] for row in rows] == [8, 1024, 131072], "three sizes were measured")
    expect(all(row["wrong"] == 0 and row["ranks"] == RANKS for row in rows), "every element is right")
    expect([row["chosen"] for row in rows] ==
           ["butterfly", "hierarchical:halving_doubling:butterfly", "hierarchical:halving_doubling:parameter_server"],
           "it chose by the hosts")

    once = ("-b", str(SIZE), "-e", str(SIZE), "-n", "1", "-w", "0", "--timing", "loop")
    rows, carried = bench(two_hosts, tutti, "routed", "auto", once)
    _, flat = bench(two_hosts, tutti, "tcp", "ring", once)
    # Two calls, one of them checked. Each sends a vector's length from each host; frames and the control plane are little.
    calls = 2
    expect(rows[0]["wrong"] == 0, "every element is right")
    expect(calls * 2 * SIZE <= carried <= calls * 2 * SIZE * 1.15, f"the cable carries each vector once, not {carried}")
    expect(flat > 1.4 * carried, f"a flat ring makes it carry more than {flat}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
