#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the line of docs/own-algorithm.md that links a command of one's own links it, and that command knows the
algorithm.

usage: link_line.py SOURCE_ROOT BUILD_FOLDER MY_ARCHIVE LEFT_OUT COMPILER...

MY_ARCHIVE holds my.cpp, compiled, whose place it takes in the line. LEFT_OUT are the words of the line, separated by
commas, that the page says to leave out where a library was not found.
"""
import pathlib
import subprocess
import sys
import tempfile


def documented(page):
    """The words of the compiler's command below the heading."""
    text = page.read_text().partition("## In every tool")[2].replace("\\\n", " ")
    return next(line.split() for line in text.splitlines() if line.startswith("g++ ") and "libtutti_tools.a" in line)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
    return done.stdout


def main(root, build, archive, left_out, *compiler):
    archive = str(pathlib.Path(archive).resolve())
    words = [w for w in documented(pathlib.Path(root, "docs/own-algorithm.md"))[1:] if pathlib.Path(w).name not in left_out.split(",")]
    words = [archive if w == "my.cpp" else w.replace("tutti/build/", f"{build}/") for w in words]
    with tempfile.TemporaryDirectory() as folder:
        run([*compiler, *words], folder)
        if "my_ring" not in (told := run(["./my", "verify", "--algorithm", "my_ring", "--ranks", "1..4"], folder)):
            sys.exit(told)


if __name__ == "__main__":
    main(*sys.argv[1:])
