#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when manual pages know every command and option that the help texts name, and can be read.

usage: help_texts.py TUTTI VERSION
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def output(command, **rest):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **rest)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def options_in(text):
    """The names of the options that a help text lists."""
    names = []
    for line in re.findall(r"^  (-\S+)", text, re.MULTILINE):
        names += [name for name in line.split(",") if name.startswith("-")]
    return names


def commands_of(tutti):
    """Each command, with its options: "" is tutti itself."""
    text = output([tutti, "--help"])
    names = re.findall(r"^  ([a-z]+) ", text[text.index("Subcommands:"):], re.MULTILINE)
    found = {"": options_in(text), **{name: options_in(output([tutti, name, "--help"])) for name in names}}
    if len(found) < 10 or not all("--help" in options for options in found.values()):
        sys.exit(f"the help texts are not understood: {found}")
    return found


def lacks(what, missing):
    if missing:
        sys.exit(f"{what} lacks {' '.join(sorted(missing))}")


def main(tutti, version):
    with tempfile.TemporaryDirectory() as folder:
        output([tutti, "manual", "--directory", folder])
        pages = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
    commands = commands_of(tutti)
    for command, options in commands.items():
        name = f"tutti-{command}.1" if command else "tutti.1"
        page = pages.pop(name)
        if page != output([tutti, "manual", *([command] if command else [])]):
            sys.exit(f"{name} is not the page that is printed")
        named = set(re.findall(r"\\fB(-[^\\]*(?:\\-[^\\]*)*|\\-(?:[^\\]|\\-)*)\\fR", page))
        lacks(name, set(options) - {n.replace("\\-", "-") for n in named})
        if f'"tutti {version}"' not in page:
            sys.exit(f"{name} does not tell version {version}")
        if shutil.which("groff"):  # a warning is on standard error
            output(["groff", "-man", "-ww", "-Tutf8"], input=page)
    lacks("the list of commands", set(pages))
    if output([tutti, "--version"]).strip() != f"tutti {version}":
        sys.exit(f"tutti --version does not say {version}, as meson.build does")
    print(f"{len(commands)} commands")


if __name__ == "__main__":
    main(*sys.argv[1:])
