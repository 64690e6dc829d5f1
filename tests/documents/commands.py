#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the commands of a page print what the page shows.

usage: commands.py SOURCE_ROOT BUILD_FOLDER PAGE

The commands of a page run one after the other in one shell, in a folder that looks like a clone with a build folder.
A number with a point or a unit of time may be another one, and so may ports and process numbers; all other text must be
equal. A line "..." stands for any lines, and "..." in a line for any text. Lines of several ranks come in any order.
A command must end with 0, unless the next one is `echo $?`.
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import pages

MOST_SECONDS = 100
PORT = "29500"  # of the documents: the test takes a free one
HOST = "myhost"  # this one, in the documents
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
VARIES_AFTER = re.compile(r"(?:127\.0\.0\.1:|process |port )$")
VARIES_BEFORE = re.compile(r" (?:ms|us|s|MB/s|GB/s|%)\b")
OF_A_RANK = re.compile(r"\[[\d,-]+\] ")


def commands_of(text):
    """(command, the lines that it prints) for each command of a block."""
    found = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
        else:
            sys.exit(f"a block begins with output: {line}")
    return found


def pattern_of(line):
    """What a line that is printed must match. White space does not count where something may be longer or shorter."""
    out, at, loose = "", 0, "..." in line
    for number in NUMBER.finditer(line):
        before, after = line[:number.start()], line[number.end():]
        varies = "." in number[0] or VARIES_AFTER.search(before) or VARIES_BEFORE.match(after)
        loose = loose or bool(varies)
        out += re.escape(line[at:number.start()]) + (NUMBER.pattern if varies else re.escape(number[0]))
        at = number.end()
    out += re.escape(line[at:])
    out = out.replace(re.escape("..."), ".*")
    return re.compile((re.sub(r"(?:\\?\s)+", r"\\s+", out) if loose else out) + r"\s*")


def first_difference(shown, printed, any_order):
    """A sentence, or None. Where ranks print, their lines may come in any order."""
    any_order = any_order or any(map(OF_A_RANK.match, printed))
    gap = False
    rest = list(printed)
    for line in shown:
        if line == "...":
            gap = True
            continue
        pattern = pattern_of(line)
        fitting = [k for k, actual in enumerate(rest) if pattern.fullmatch(actual)]
        if not fitting or (fitting[0] > 0 and not gap and not any_order):
            return f"the page shows a line that does not come:\n    {line}"
        del rest[fitting[0] if any_order else slice(0, fitting[0] + 1)]
        gap = gap and any_order
    return None if gap or not rest else f"a line comes that the page does not show:\n    {rest[0]}"


def run(script, folder, path):
    """What the commands of a script print, and their statuses."""
    shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env={**os.environ, "PATH": path, "COLUMNS": "120"}, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             start_new_session=True)
    try:
        return shell.communicate(timeout=MOST_SECONDS)[0]
    except subprocess.TimeoutExpired:
        sys.exit(f"not done after {MOST_SECONDS} s")
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)  # what the commands have left behind
        except ProcessLookupError:
            pass


def main(root, build, page):
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    wanted = [(block, command.replace(PORT, port), [line.replace(PORT, port) for line in shown])
              for block in pages.blocks(root, pathlib.Path(page).resolve())
              if block.language == "console" and not block.marker.startswith("not run: ")
              for command, shown in commands_of(block.text)]
    mark = "@ end of a command: "
    script = ""
    for _, command, _ in wanted:
        script += f"{command}\n_status=$?; printf '\\n{mark}%d\\n' $_status; (exit $_status)\n"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("docs", "include", "kernels", "tools"):
            os.symlink(root / name, f"{folder}/{name}")
        os.symlink(build, f"{folder}/build")
        said = run(script, folder, f"{build}/tools:{build}/tools/examples/tutorial:{os.environ['PATH']}")
    ended = re.split(rf"^{mark}(\d+)\n", said, flags=re.M)
    for k, (block, command, shown) in enumerate(wanted):
        if 2 * k + 1 >= len(ended):
            sys.exit(f"{block.place}: not reached: {command}\n{said}")
        printed, status = ended[2 * k].rstrip("\n"), ended[2 * k + 1]
        printed = re.sub(rf"\b{re.escape(socket.gethostname())}\b", HOST, printed)
        followed = k + 1 < len(wanted) and wanted[k + 1][1] == "echo $?"
        fault = first_difference(shown, printed.split("\n") if printed else [], block.marker == "in any order")
        if status != "0" and not followed:
            fault = f"it ends with status {status}"
        if fault:
            sys.exit(f"{block.place}: {command}\n{fault}\n\nAll that it prints:\n{printed}")
    print(f"{len(wanted)} commands print what {pathlib.Path(page).name} shows")


if __name__ == "__main__":
    main(*sys.argv[1:])
