#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the compiler refuses each unit with the sentence on its first line, and accepts it with -DCONTROL. In an
older standard, and as an older compiler, it must refuse the headers that a program begins with, with a sentence of the
library.

usage: refused.py INCLUDE_FOLDER UNIT... -- COMPILER...
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

MARK = "// expect: "
# What is refused stands in the declarations: bodies are left out, which halves the time.
FLAGS = ["-std=c++20", "-DTUTTI_COMPILED"]
# What units that make calls include. Once precompiled, each of them takes a third of the time.
CALLS = "#include <collectives/collectives.hpp>\n#include <transport/memory.hpp>\n"
MAKES_CALLS = "#include <transport/memory.hpp>\n"
# The first headers of programs, and what they say in an older standard, and to a compiler that says it is older.
FIRST = ["include/collectives/collectives.hpp", "include/transport/memory.hpp", "include/transport/shared_memory.hpp",
         "include/transport/tcp.hpp", "include/transport/world/world.hpp", "kernels/device_reductions.hpp",
         "kernels/optimizer.hpp", "kernels/reduce_many.hpp", "kernels/stream_communicator.hpp"]
NEWER = "tutti needs clang 16 or newer, or g++ 12 or newer"
OLDER = [(["-std=c++17"], "tutti needs C++20: compile with -std=c++20"),
         (["-std=c++20", "-U__clang__", "-U__GNUC__", "-D__GNUC__=11"], NEWER),
         (["-std=c++20", "-U__clang__", "-D__clang__", "-U__clang_major__", "-D__clang_major__=15"], NEWER)]


def compiled(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def precompiled(compiler, folder):
    """The options by which a unit takes the headers for calls from this folder."""
    header = pathlib.Path(folder) / "calls.hpp"
    header.write_text(CALLS)
    status, output = compiled(*compiler, *FLAGS, "-x", "c++-header", str(header), "-o", f"{header}.gch")
    if status != 0:
        sys.exit(output)
    return ["-include", str(header)]


def fault_of(unit, compiler, calls):
    text = unit.read_text(encoding="utf-8")
    first = text.split("\n", 1)[0]
    sentence = first.removeprefix(MARK).strip()
    if not first.startswith(MARK) or not sentence:
        return f"{unit}:1: the first line must read '{MARK}SENTENCE'"
    command = [*compiler, *FLAGS, "-fsyntax-only", *(calls if MAKES_CALLS in text else []), str(unit)]
    status, output = compiled(*command, "-DCONTROL")
    if status != 0:
        return f"{output}\n{unit}: with -DCONTROL this must compile, so that it is the fault alone that is refused"
    status, output = compiled(*command)
    if status == 0:
        return f"{unit}: this compiled, and must be refused with: {sentence}"
    if " ".join(sentence.split()) not in " ".join(output.split()):
        return f"{output}\n{unit}: refused, but not with the sentence: {sentence}"
    return None


def fault_of_older(header, flags, sentence, compiler):
    _, output = compiled(*compiler, *flags, "-E", "-o", os.devnull, str(header))
    first = next((line for line in output.splitlines() if "error:" in line), "nothing")
    return None if sentence in first else f"{header}: with {' '.join(flags)} the compiler says first: {first}"


def main(include, *more):
    end = more.index("--")
    units, compiler = [pathlib.Path(unit) for unit in more[:end]], [*more[end + 1:], "-I", include]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        calls = precompiled(compiler, folder)
        faults = [fault for fault in pool.map(lambda unit: fault_of(unit, compiler, calls), units) if fault]
        root = pathlib.Path(include).parent
        older = [*compiler, "-I", str(root)]
        begun = [(root / name, *how) for name in FIRST for how in OLDER]
        faults += [fault for fault in pool.map(lambda case: fault_of_older(*case, older), begun) if fault]
    print(f"{len(units) + len(begun) - len(faults)} of {len(units) + len(begun)} are refused as they must be")
    return "\n".join(faults) if faults else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
