#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a command with an algorithm of its own knows it in every subcommand.

usage: own_command.py COMMAND
"""
import subprocess
import sys

MINE = ("--algorithm", "my_ring")
MACHINE = ("--alpha", "10us", "--beta", "25Gbit/s")
LOGGP = ("--loggp", "1us,0,0,1ns/B")
SUBCOMMANDS = {
    "verify --operation broadcast": (("--algorithm", "my_chain", "--ranks", "1..9"), "my_chain"),
    "draw --operation broadcast": (("--algorithm", "my_chain", "--ranks", "3"), "my_chain"),
    "verify": (("--algorithm", "all", "--ranks", "1..9"), "my_ring                        1..9      36"),
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
    if "# allreduce(my_ring): no closed form; it is simulated\n" not in unasked.stdout:
        sys.exit(f"what has no closed form is not simulated by itself:\n{unasked.stdout}")
    for subcommand in ("draw", "verify --operation allreduce", "export --format goal"):
        other = run(command, *subcommand.split(), "--algorithm", "my_chain")
        if other.returncode != 2 or "my_chain has no allreduce, but broadcast: pass --operation broadcast" not in other.stdout:
            sys.exit(f"{subcommand} does not say what the algorithm has instead:\n{other.stdout}")
    if "my_chain has no allreduce" not in run(command, "train", "--algorithm", "my_chain").stdout:
        sys.exit("train does not say that it needs an allreduce")
    refused = run(command, "verify", "--algorithm", "yours")
    if refused.returncode == 0 or "my_ring" not in refused.stdout:
        sys.exit(f"an unknown name is not told with those that there are:\n{refused.stdout}")


if __name__ == "__main__":
    main(*sys.argv[1:])
