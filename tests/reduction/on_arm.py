#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the tests of this folder pass on ARM too, in emulation: they say what other instructions must give.

usage: on_arm.py FOLDER
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT, CATCH = HERE.parent.parent, pathlib.Path("/usr/include/catch2")
COMPILER = "aarch64-linux-gnu-g++"
APART = "fast_math.cpp"  # is compiled with options of its own


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main(folder):
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not shutil.which(COMPILER) or not emulator:
        skip(f"there is no {COMPILER}, or no qemu-aarch64: tools/install-dependencies matrix installs them")
    if not (CATCH / "catch.hpp").exists():
        skip("Catch2 version 3 is a library, of this processor alone")
    folder = pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "catch2").symlink_to(CATCH)  # no other header of this processor is to be found
    sources = ["support/main.cpp", *(f"reduction/{s.name}" for s in sorted(HERE.glob("*.cpp")) if s.name != APART)]
    (folder / "all.cpp").write_text("".join(f'#include "{source}"\n' for source in sources))
    subprocess.run([COMPILER, "-std=c++20", "-O2", "-static", "-pthread", "-isystem", folder, "-I", ROOT / "include", "-I",
                    ROOT / "tests", folder / "all.cpp", "-o", folder / "all"], check=True)
    sys.exit(subprocess.run([emulator, folder / "all"]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
