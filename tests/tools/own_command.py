#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a command with an algorithm of its own knows it in every subcommand.

usage: own_command.py COMMAND
"""
import re
import subprocess
import sys

MINE = ("--algorithm", "my_ring")
MACHINE = ("--alpha", "10us", "--beta", "25Gbit/s")
LOGGP = ("--loggp", "1us,0,0,1ns/B")
SUBCOMMANDS = {
    "verify --operation broadcast": (("--algorithm", "my_chain", "--ranks", "1..9"), "my_chain"),
    "draw --operation broadcast": (("--algorithm", "my_chain", "--ranks", "3"), "my_chain"),
    "verify": (("--algorithm", "all", "--ranks", "1..9"), "my_ring                            1..9      36"),
    "bench": (("--transport", "memory", "--ranks", "3", "--algorithm", "all", "-b", "24", "-e", "24", "-n", "20"),
              "0 my_ring"),
    "draw": ((*MINE, "--ranks", "4"), "    6  2=>1    3=>2    0=>3    1=>0"),
    "model --lecture": (("--algorithm", "ring,my_ring", "--ranks", "4"), "\nmy_ring (my_ring)\n"),
    "export": ((*MINE, "--ranks", "4", "--format", "goal"), "num_ranks 4"),
    "explain": (("--ranks", "4", *MACHINE), "my_ring"),
    "model": ((*MINE, "--ranks", "4", "--bytes", "1M", *MACHINE, "--simulate"), "my_ring"),
}


def run(command, *arguments):
    return subprocess.run([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)


def main(command):
    for subcommand, (arguments, expected) in SUBCOMMANDS.items():
        done = run(command, *subcommand.split(), *arguments)
        if done.returncode != 0 or expected not in done.stdout:
            sys.exit(f"{subcommand} ended with {done.returncode}, and should say {expected!r}:\n{done.stdout}")
    nodes = run(command, "verify", "--algorithm", "hierarchical:ring:my_ring", "--ranks", "9")
    if "9       4      8       8     1.778" not in nodes.stdout: # 16 and 16 with one rank a node
        sys.exit(f"a hierarchy of its own does not get the nodes that the library's gets:\n{nodes.stdout}")
    unasked = run(command, "model", *MINE, "--ranks", "4", "--bytes", "1M", *LOGGP)
    if "# allreduce(my_ring): no closed form; simulated up to 200000 messages" not in unasked.stdout:
        sys.exit(f"what has no closed form is not simulated by itself:\n{unasked.stdout}")
    for subcommand in ("draw", "verify --operation allreduce", "export --format goal"):
        other = run(command, *subcommand.split(), "--algorithm", "my_chain")
        if other.returncode != 2 or "my_chain has no allreduce, but broadcast: pass --operation broadcast" not in other.stdout:
            sys.exit(f"{subcommand} does not say what the algorithm has instead:\n{other.stdout}")
    # Of 1 to 9 ranks on 1, 2, 4 and 8: whole and in two segments, each in place and out of place: 4 proofs a number.
    powers = run(command, "verify", "--operation", "allreduce", "--algorithm", "all", "--ranks", "1..9")
    rows = [line.split() for line in powers.stdout.splitlines() if "my_doubling" in line]
    if [row[2:4] for row in rows] != [["1", "4"], ["2", "4"], ["4", "4"], ["8", "4"]]:
        sys.exit(f"verify does not prove for the numbers of ranks that there are:\n{powers.stdout}")
    named = ("--algorithm", "my_doubling", "--ranks")
    for subcommand in (("verify", *named, "4,6"), ("draw", *named, "6"), ("export", "--format", "goal", *named, "6"),
                       ("model", *named, "6"), ("bench", "--transport", "memory", *named, "6"),
                       ("train", "--virtual", "6", *named[:2])):
        other = run(command, *subcommand)
        if other.returncode != 2 or "my_doubling is for 1, 2, 4, 8, 16, 32, 64, 128, ... ranks, not for 6" not in other.stdout:
            sys.exit(f"{subcommand} does not say for which numbers of ranks it is, but {other.returncode}:\n{other.stdout}")
    for subcommand in (("model", "--ranks", "6", "--bytes", "1K"), ("explain", "--ranks", "6", *MACHINE)):
        other = run(command, *subcommand)
        if other.returncode != 0 or "my_doubling" in other.stdout or "my_small_ring" not in other.stdout:
            sys.exit(f"{subcommand} chooses from what is not for 6 ranks:\n{other.stdout}")
    for subcommand in (("model", "--ranks", "10", "--bytes", "1K"), ("explain", "--ranks", "10", *MACHINE),
                       ("bench", "--transport", "memory", "--ranks", "10", "--algorithm", "my_small_ring"),
                       ("train", "--virtual", "10", "--algorithm", "my_small_ring"),
                       ("model", "--lecture", "--ranks", "10", "--algorithm", "ring,my_small_ring"),
                       ("export", "--format", "goal", "--ranks", "10", "--algorithm", "my_small_ring")):
        wrong = run(command, *subcommand)
        if wrong.returncode != 2 or "the schedule is not proven: allreduce(my_small_ring) on 10 ranks" not in wrong.stdout:
            sys.exit(f"{subcommand} uses what is wrong, and ends with {wrong.returncode}:\n{wrong.stdout}")
    for ranks, expected in (("11", "the cost is not the stated one: fan-in stated 2, found 1"),
                            ("11,12", "(my_stuck) on 12 ranks")): # a wrong cost counts where nothing else is wrong
        wrong = run(command, "verify", "--algorithm", "my_stuck", "--ranks", ranks)
        if wrong.returncode != 1 or expected not in wrong.stdout or ("12" in ranks) == ("the stated one" in wrong.stdout):
            sys.exit(f"verify does not tell what is wrong on {ranks} ranks:\n{wrong.stdout}")
    # 2 x 158 x 159 messages, of which no two ranks' are alike.
    many = run(command, "model", *MINE, "--ranks", "159", "--bytes", "1M", *MACHINE)
    if not re.search(r"my_ring +316 +316 +50244 .* - +[0-9.]+ ", many.stdout):
        sys.exit(f"50,244 messages are not simulated:\n{many.stdout}")
    if "my_chain has no allreduce" not in run(command, "train", "--algorithm", "my_chain").stdout:
        sys.exit("train does not say that it needs an allreduce")
    refused = run(command, "verify", "--algorithm", "yours")
    if refused.returncode == 0 or "my_ring" not in refused.stdout:
        sys.exit(f"an unknown name is not told with those that there are:\n{refused.stdout}")


if __name__ == "__main__":
    main(*sys.argv[1:])
