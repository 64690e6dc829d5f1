#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the headers under include/ and kernels/ compile without warnings, and so do the units of tests/compile_time/.

usage: headers.py doors|apart|together SOURCE_ROOT STAMP_FOLDER COMPILER...
       headers.py matrix SOURCE_ROOT STAMP_FOLDER [ROW]

apart: each header stands alone, so that a user may include any of them first. One unit shows that of several: each of its
headers includes those before it anyway. Bodies (.ipp) stand alone too, and are left out of the headers meanwhile, which
saves most of the time. That they come after all that they need, whatever is included first, follows if none of them needs
a header that includes theirs.
doors: the same for those that stand in the listings of a user, or that a document includes.
together: all in one unit, bodies included, which is quick and is enough for a second compiler. Macros of other libraries
stand before it.
matrix: the same for each row of other compilers, standard libraries, processors and settings. It takes minutes. What is
not installed is skipped, and told.
What has been compiled is compiled again only if it, a header of ours that it includes, or the compiler has changed.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wsign-conversion", "-Wformat=2", "-Werror"]
OF_GCC = ["-Wlogical-op", "-Wuseless-cast"]
CXX20 = ["-std=c++20"]
# Of Qt, of X11, of Windows as far as libstdc++ undefines them, and assertions of Apple, of Unreal and of older Boost. docs/use.md names those that break the headers.
MACROS = "".join(f"#define {macro}\n" for macro in (
    "emit", "slots", "signals public", "foreach(a, b) for (a : b)", "forever for (;;)", "None 0L", "Status int", "Bool int",
    "Success 0", "True 1", "False 0", "Always 2", "Above 0", "Below 1", "KeyPress 2", "KeyRelease 3", "FocusIn 9",
    "FocusOut 10", "FontChange 255", "Expose 12", "CursorShape 0", "Unsorted 0", "GrayScale 1", "Complex 0", "Convex 2",
    "Nonconvex 1", "ControlMask 4", "check(x) assert_that(x)", "verify(x) assert_that(x)", "require(x, label) assert_that(x)",
    "min(a, b) ((a) < (b) ? (a) : (b))", "max(a, b) ((a) > (b) ? (a) : (b))"))
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
        for name in map(bytes.decode, INCLUDE.findall(theirs.read_bytes())):
            bodies = (theirs.parent / name).resolve()
            if bodies.suffix != ".ipp" or not bodies.is_file():
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


def newest_clang():
    return next(filter(shutil.which, (f"clang++-{n}" for n in range(30, 15, -1))), "clang++")


def rows():
    """(name, command) of the matrix."""
    clang, arm, gcc = newest_clang(), "--target=aarch64-linux-gnu", ["g++", *OF_GCC]
    # Of OpenSSL the header of this processor does, which is of the same word length.
    host = ["-idirafter", f"/usr/include/{os.uname().machine}-linux-gnu"]
    yield "g++, C++23", [*gcc, "-std=c++23"]
    yield "g++, checked containers", [*gcc, *CXX20, "-D_GLIBCXX_DEBUG"]
    yield "g++ for ARM", ["aarch64-linux-gnu-g++", *OF_GCC, *CXX20, *host]
    yield "clang, C++20", [clang, *CXX20]
    yield "clang, C++26", [clang, "-std=c++2c"]
    yield "clang, checked containers", [clang, *CXX20, "-D_GLIBCXX_DEBUG"]
    yield "clang for ARM", [clang, arm, *CXX20, *host]
    yield "clang, libc++, C++20", [clang, *CXX20, "-stdlib=libc++"]
    yield "clang, libc++, C++23", [clang, "-std=c++23", "-stdlib=libc++"]


def lacks(command, text="#include <vector>\n#include <openssl/evp.h>\n"):
    """Why this row cannot be had, if so."""
    if not shutil.which(command[0]):
        return "not installed"
    done = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=text, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors="replace")
    return next((line for line in done.stdout.split("\n") if "error:" in line), "refused") if done.returncode else None


def main(how, root, stamps, *compiler):
    root, stamps = pathlib.Path(root).resolve(), pathlib.Path(stamps)
    include = root / "include"
    stamps.mkdir(parents=True, exist_ok=True)

    def check(command, files, before=""):
        ours = set()
        for file in files:
            closure(file, include, ours)
        version = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, check=True).stdout
        content = hashlib.sha256(version + " ".join([*command, before]).encode())
        for file in sorted(ours):
            content.update(str(file.relative_to(root)).encode() + file.read_bytes())
        stamp = stamps / content.hexdigest()
        if stamp.exists():
            return None
        # Included rather than compiled itself: `#pragma once` in a main file is a warning.
        text = before + "".join(f'#include "{file}"\n' for file in files)
        done = subprocess.run([*command, "-x", "c++", "-I", str(include), "-"], input=text, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            stamp.touch()
            return None
        return f"{files[-1].relative_to(root)} and those before it do not compile: {' '.join(command)}\n{done.stdout}"

    def has(text, file):
        return any(text in needed.read_bytes() for needed in closure(file, include, set()))

    def of_cuda(file):
        return has(CUDA, file)

    headers = [header for header in sorted([*include.rglob("*.hpp"), *(root / "kernels").rglob("*.hpp")])
               if not of_cuda(header)]
    units, faults, syntax = [], [], ["-fsyntax-only", *WARNINGS]
    proofs = sorted((root / "tests" / "compile_time").glob("*.cpp"))
    if how == "matrix":
        skipped = []
        for name, command in rows():
            if compiler and name not in compiler:
                continue
            if why := lacks(command):
                skipped.append(f"{name} ({why})")
                continue
            # Headers that the compiler refuses are another library's fault, as rdma-core's are in C++26.
            rdma = b"#include <infiniband/verbs.h>"
            bare = lacks(command, rdma.decode() + "\n")
            if bare:
                skipped.append(f"RDMA with {name} ({bare})")
            units.append(([*command, *syntax], [h for h in headers if not bare or not has(rdma, h)]))
        # What g++ says of a result that is not used, it says of code that it makes.
        units.append((["g++", *CXX20, *WARNINGS, *OF_GCC, "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-S", "-o",
                       os.devnull], [root / "tests" / "compile_time" / "one_transport.cpp"]))
        print("".join(f"skipped: {row}\n" for row in skipped), end="")
    elif how == "together":
        units = [([*compiler, *CXX20, *syntax], [proof]) for proof in proofs]
        units.append(([*compiler, *CXX20, *syntax], headers, MACROS))
    else:
        strict = [*compiler, *CXX20, *syntax, *OF_GCC] if "clang" not in compiler[-1] else [*compiler, *CXX20, *syntax]
        doors = (root / "kernels", *(include / room for room in ("collectives", "transport", "training")))
        shown = {name for text in (root / "README.md", *(root / "docs").rglob("*.md"))
                 for name in re.findall(r"<tutti/([\w/]+\.hpp)>", text.read_text())}
        all_parts = [*headers, *(body for body in include.rglob("*.ipp") if not of_cuda(body))]
        first = {include / name for name in shown} | {header for header in headers if header.parent in doors}
        apart = chains(all_parts if how == "apart" else [header for header in headers if header in first], include)
        units = [(strict, [proof]) for proof in proofs]
        units += [([*strict, "-DTUTTI_COMPILED"], chain) for chain in apart]
        faults = list(too_early(headers, include))
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        faults += [fault for fault in pool.map(lambda unit: check(*unit), units) if fault]
    print(f"headers {how}: {len(units) - len(faults)} of {len(units)} units compile")
    return "\n".join(faults) if faults else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
