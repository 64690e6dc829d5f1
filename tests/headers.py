#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the headers under include/ and kernels/ compile without warnings, and so do the units of tests/compile_time/.

usage: headers.py apart|together SOURCE_ROOT STAMP_FOLDER COMPILER...

apart: each header stands alone, so that a user may include any of them first. One unit shows that of several: each of its
headers includes those before it anyway. together: all in one unit, which is quick and is enough for a second compiler.
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


def closure(file, include, seen):
    """The file and all of ours that it includes."""
    file = file.resolve()
    if file in seen or not file.is_file():
        return seen
    seen.add(file)
    for name in INCLUDE.findall(file.read_bytes()):
        closure(file.parent / name.decode(), include, seen)
        closure(include / name.decode(), include, seen)
    return seen


def chains(headers, include):
    """All headers, in few lists in which each header includes all before it."""
    needs = {header.resolve(): closure(header, include, set()) for header in headers}
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

    def check(files):
        ours = set()
        for file in files:
            closure(file, include, ours)
        content = hashlib.sha256(version + " ".join(FLAGS).encode())
        for file in sorted(ours):
            content.update(str(file.relative_to(root)).encode() + file.read_bytes())
        stamp = stamps / content.hexdigest()
        if stamp.exists():
            return None
        # Included rather than compiled itself: `#pragma once` in a main file is a warning.
        text = "".join(f'#include "{file}"\n' for file in files)
        done = subprocess.run([*compiler, *FLAGS, "-I", str(include), "-"], input=text, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            stamp.touch()
            return None
        return f"{files[-1].relative_to(root)} and those before it do not compile\n{done.stdout}"

    headers = [header for header in sorted([*include.rglob("*.hpp"), *(root / "kernels").rglob("*.hpp")])
               if not any(CUDA in file.read_bytes() for file in closure(header, include, set()))]
    units = [[unit] for unit in sorted((root / "tests" / "compile_time").glob("*.cpp"))]
    units += [headers] if how == "together" else chains(headers, include)
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        faults = [fault for fault in pool.map(check, units) if fault]
    print(f"{len(headers)} headers {how}: {len(units) - len(faults)} of {len(units)} units compile")
    return "\n".join(faults) if faults else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
