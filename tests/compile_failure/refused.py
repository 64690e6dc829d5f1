#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the compiler refuses a unit with the sentence on its first line, and accepts it with -DCONTROL.

usage: refused.py UNIT INCLUDE_FOLDER COMPILER...
"""
import subprocess
import sys


def compile_unit(compiler, include, unit, *more):
    # What is refused stands in the declarations: bodies are left out, which halves the time.
    command = [*compiler, "-std=c++20", "-fsyntax-only", "-DTUTTI_COMPILED", "-I", include, *more, unit]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def main(unit, include, *compiler):
    with open(unit, encoding="utf-8") as source:
        first = source.readline().strip()
    mark = "// expect: "
    if not first.startswith(mark) or not first[len(mark):].strip():
        return f"{unit}:1: the first line must read '{mark}SENTENCE'"
    sentence = first[len(mark):].strip()

    status, output = compile_unit(compiler, include, unit, "-DCONTROL")
    if status != 0:
        return f"{output}\n{unit}: with -DCONTROL this must compile, so that it is the fault alone that is refused"
    status, output = compile_unit(compiler, include, unit)
    if status == 0:
        return f"{unit}: this compiled, and must be refused with: {sentence}"
    if " ".join(sentence.split()) not in " ".join(output.split()):
        return f"{output}\n{unit}: refused, but not with the sentence: {sentence}"
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
