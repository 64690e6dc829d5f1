#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the headers under include/ and kernels/ compile without warnings, and so do the units of tests/compile_time/.

usage: headers.py apart|together SOURCE_ROOT STAMP_FOLDER COMPILER...

apart: each header stands alone, so that a user may include any of them first. One unit shows that of several: each of its
headers includes those before it anyway. Bodies (.ipp) stand alone too, and are left out of the headers meanwhile, which
saves most of the time. That they come after all that they need, whatever is included first, follows if none of them needs
a header that includes theirs.
together: all in one unit, bodies included, which is quick and is enough for a second compiler.
What has been compiled is compiled again only if it, a header of ours that it includes, or the compiler has changed.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-x", "c++"]
CUDA = b"#include <cuda_runtime_api.h>"  # who needs it is compiled where it is: tests/transport/cuda_ipc/without_device.cpp
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def closure(file, include, seen, bodies=True):
    """The file and all of ours that it includes; or without what headers include of bodies."""
    file = file.resolve()
    if file in seen or not file.is_file():
        return seen
    seen.add(file)
    for name in map(bytes.decode, INCLUDE.findall(file.read_bytes())):
        if bodies or file.suffix != ".hpp" or not name.endswith(".ipp"):
            closure(file.parent / name, include, seen, bodies)
            closure(include / name, include, seen, bodies)
    return seen


def too_early(headers, include):
    """Of bodies that need a header which includes theirs: they would be compiled before it has been read."""
    declared = {header.resolve(): closure(header, include, set(), bodies=False) for header in headers}
    for theirs in declared:
        bodies = theirs.with_suffix(".ipp")
        if f'#include "{bodies.name}"'.encode() not in theirs.read_bytes():
            continue
        needed = closure(bodies, include, set())
        for header, includes in declared.items():
            if header != theirs and theirs in includes and header in needed:
                yield f"{bodies} needs {header}, which includes {theirs.name}: who includes that first has bodies too early"


def chains(files, include):
    """All files, in few lists in which each includes all before it."""
    needs = {file.resolve(): closure(file, include, set(), bodies=False) for file in files}
    all_chains = []
    for header in sorted(needs, key=lambda h: (-len(needs[h]), h)):
        fitting = [c for c in all_chains if header in needs[c[0]]]
        if fitting:
            min(fitting, key=lambda c: len(needs[c[0]])).insert(0, header)
        else:
            all_chains.append([header])
    return all_chains


def main(how, root, stamps, *compiler):
    root, stamps = pathlib.Path(root).resolve(), pathlib.Path(stamps)
    include = root / "include"
    stamps.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([*compiler, "--version"], stdout=subprocess.PIPE, check=True).stdout

    def check(files, more):
        ours = set()
        for file in files:
            closure(file, include, ours)
        content = hashlib.sha256(version + " ".join([*FLAGS, *more]).encode())
        for file in sorted(ours):
            content.update(str(file.relative_to(root)).encode() + file.read_bytes())
        stamp = stamps / content.hexdigest()
        if stamp.exists():
            return None
        # Included rather than compiled itself: `#pragma once` in a main file is a warning.
        text = "".join(f'#include "{file}"\n' for file in files)
        done = subprocess.run([*compiler, *FLAGS, *more, "-I", str(include), "-"], input=text, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            stamp.touch()
            return None
        return f"{files[-1].relative_to(root)} and those before it do not compile\n{done.stdout}"

    def of_cuda(file):
        return any(CUDA in needed.read_bytes() for needed in closure(file, include, set()))

    headers = [header for header in sorted([*include.rglob("*.hpp"), *(root / "kernels").rglob("*.hpp")])
               if not of_cuda(header)]
    units = [([unit], []) for unit in sorted((root / "tests" / "compile_time").glob("*.cpp"))]
    if how == "together":
        units, faults = [*units, (headers, [])], []
    else:
        apart = chains([*headers, *(f for f in include.rglob("*.ipp") if not of_cuda(f))], include)
        units += [(chain, ["-DTUTTI_COMPILED"]) for chain in apart]
        faults = list(too_early(headers, include))
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        faults += [fault for fault in pool.map(lambda unit: check(*unit), units) if fault]
    print(f"{len(headers)} headers {how}: {len(units) - len(faults)} of {len(units)} units compile")
    return "\n".join(faults) if faults else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
