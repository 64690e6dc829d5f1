#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the compiler takes units that no test runs. No code is made of them, which saves most of the time.

usage: units.py BUILD_FOLDER FOLDER...

The units, with their options, are those of the targets in these folders of the build folder.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def options_of(command):
    """The command as a list, without what it writes."""
    words = iter(shlex.split(command))
    for word in words:
        if word in ("-o", "-MF", "-MQ"):
            next(words)
        elif word not in ("-MD", "-c"):
            yield word


def fault_of(unit):
    done = subprocess.run([*options_of(unit["command"]), "-fsyntax-only"], cwd=unit["directory"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return None if done.returncode == 0 else f"{unit['output']}\n{done.stdout}"


def main(build, *folders):
    known = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    units = [unit for unit in known if unit["output"].startswith(tuple(f"{folder}/" for folder in folders))]
    if not units:
        return f"{build} has no units of {', '.join(folders)}"
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        faults = [fault for fault in pool.map(fault_of, units) if fault]
    print(f"{len(units) - len(faults)} of {len(units)} units compile")
    return "\n".join(faults) if faults else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
