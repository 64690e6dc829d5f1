#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Runs a fuzz target: its kept corpus, then new inputs: the first 30,000 of a fixed order, or as many of
them as fit in 3 s. With TUTTI_FUZZ_SECONDS the new inputs are others in each run, for so many seconds.

usage: run.py PROGRAM CORPUS FOUND   FOUND: where an input that breaks the target is written, and what was new
Exits 77 where PROGRAM is "none": the compiler has no libFuzzer.
"""
import os
import pathlib
import shutil
import subprocess
import sys


def main(program, corpus, found):
    if program == "none":
        print("this compiler has no libFuzzer: tools/install-dependencies check installs clang 16 with it")
        return 77
    target = pathlib.Path(program).name
    kept, new = pathlib.Path(corpus), pathlib.Path(found) / target
    shutil.rmtree(new, ignore_errors=True)  # what former runs have left would be read first, however long that takes
    new.mkdir(parents=True)
    seconds = os.environ.get("TUTTI_FUZZ_SECONDS")
    extent = [f"-max_total_time={seconds}"] if seconds else ["-seed=1", "-runs=30000", "-max_total_time=3"]
    done = subprocess.run(
        [program, *extent, "-timeout=120", "-rss_limit_mb=2048",
         "-malloc_limit_mb=64", "-print_final_stats=1", f"-artifact_prefix={found}/{target}-", str(new), str(kept)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode(errors="replace").splitlines()
    print("\n".join(said[-60:] if done.returncode else [line for line in said if "number_of_executed" in line]))
    if done.returncode:  # libFuzzer's own status is 77, which here would mean skipped
        print(f"once more: {program} {found}/{target}-...; keep it in {kept} when it is mended")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
