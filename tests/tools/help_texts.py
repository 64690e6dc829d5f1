#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when manual pages and completions know every command and option that the help texts name, and work.

usage: help_texts.py man|bash|zsh|fish TUTTI VERSION
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# How the shells' own programs are asked what completes a command line: the text, and what must and must not come.
COMPLETED = (("tutti be", {"bench"}, {"run"}), ("tutti ru", {"rule", "run"}, {"bench"}),
             ("tutti bench --tr", {"--transport", "--trace"}, {"--json"}),
             ("tutti bench --transport sh", {"shared_memory"}, {"tcp"}),
             ("tutti verify --algorithm bin", {"binomial_tree"}, {"ring"}),
             ("tutti bench --json FOLDER/mea", {"FOLDER/measured.json"}, {"FOLDER/other"}))
# What bash splits at =, lists, and where a program begins.
IN_BASH = (("tutti bench --transport=sh", {"shared_memory"}, {"tcp"}),
           ("tutti bench --algorithm ring,bin", {"ring,binomial_tree"}, {"ring"}),
           ("tutti bench --ranks ", set(), {"--json", "ring"}),
           ("tutti run -n 4 FOLDER/mea", {"FOLDER/measured.json"}, {"--ranks"}),
           ("tutti run -n 4 -- FOLDER/mea", {"FOLDER/measured.json"}, {"--ranks"}),
           ("tutti run -n 4 -- cat --ra", set(), {"--ranks"}),
           ("tutti run -n 4 --dea", {"--deadline"}, set()))


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


def man(tutti, version):
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
    return len(commands)


def held(folder, asked, ask):
    for line, must, must_not in asked:
        line, must = line.replace("FOLDER", folder), {word.replace("FOLDER", folder) for word in must}
        must_not = {word.replace("FOLDER", folder) for word in must_not}
        got = ask(line)
        if must - got or must_not & got:
            sys.exit(f"{line!r} completes to {sorted(got)}; it must to {sorted(must)}, and not to {sorted(must_not)}")


def with_files(asked, ask):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("measured.json", "other"):
            (pathlib.Path(folder) / name).touch()
        held(folder, asked, ask)


def bash(tutti, version):
    script = output([tutti, "completion", "bash"])

    def ask(line):
        words = [w for word in line.split(" ") for w in re.split(r"(=)", word) if w or not word]
        text = (f"{script}\nCOMP_WORDS=({' '.join(repr(w) for w in words)})\nCOMP_CWORD={len(words) - 1}\n"
                "_tutti 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return set(output(["bash", "--norc", "-c", text]).split("\n")) - {""}

    commands = commands_of(tutti)
    for command, options in commands.items():
        lacks(f"bash after tutti {command}", set(options) - ask(f"tutti {command} -".replace("  ", " ")))
    with_files(COMPLETED + IN_BASH, ask)
    return len(commands)


def zsh(tutti, version):
    """Functions of the test stand for those of zsh's completion system: they print what they are given."""
    script = output([tutti, "completion", "zsh"])
    given = """_arguments() {
    [[ $1 == -C ]] && { state=argument; line=($chosen); [[ -n $chosen ]] && return 1; }
    print -rl -- "$@"
}
_describe() { print -rl -- "${(@P)2}"; }
"""
    commands = commands_of(tutti)
    for command, options in commands.items():
        specified = output(["zsh", "-f", "-c", f"{given}chosen={command}\n{script}"]).splitlines()
        taken = {m.group(1) for s in specified if (m := re.match(r"\([^)]*\)(--?[\w-]+)[=+]?\[.*\]", s))}
        lacks(f"zsh after tutti {command}", set(options) - taken)
    described = output(["zsh", "-f", "-c", f"{given}_arguments() {{ state=command; return 1; }}\n{script}"])
    lacks("zsh after tutti", set(commands) - {""} - {line.split(":")[0] for line in described.splitlines()})
    return len(commands)


def fish(tutti, version):
    script = output([tutti, "completion", "fish"])

    def ask(line):
        with tempfile.TemporaryDirectory() as home:
            told = output(["fish", "--no-config", "-c", f"{script}\ncomplete -C '{line}'"],
                          env={"HOME": home, "PATH": "/usr/bin:/bin"})
        return {answer.split("\t")[0] for answer in told.splitlines()}

    commands = commands_of(tutti)
    for command, options in commands.items():
        long_ones = {name for name in options if name.startswith("--")}
        lacks(f"fish after tutti {command}", long_ones - ask(f"tutti {command} --".replace("  ", " ")))
    with_files(COMPLETED, ask)
    return len(commands)


def main(what, tutti, version):
    if what != "man" and not shutil.which(what):
        print(f"skipped: there is no {what} here")
        sys.exit(77)
    print(f"{what}: {({'man': man, 'bash': bash, 'zsh': zsh, 'fish': fish})[what](tutti, version)} commands")


if __name__ == "__main__":
    main(*sys.argv[1:])
