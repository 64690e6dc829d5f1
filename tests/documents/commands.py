#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the commands of a page print what the page shows.

usage: commands.py SOURCE_ROOT BUILD_FOLDER PAGE

The commands of a page run one after the other in one shell, in a folder that looks like a clone with a build folder.
A number with a point or a unit of time may be another one, and so may ports, process numbers, moments and the ids of
jobs; all other text must be equal. A line "..." stands for any lines, and "..." in a line for any text. Lines of several ranks come in any order.
A command must end with 0, unless the next one is `echo $?`. Ends with 77 where a block's program is not there.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import pages
from scripts import free_port

MOST_SECONDS = 100
PORT = "29500"  # of the documents: the test takes a free one
HOST = "myhost"  # this one, in the documents
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
VARIES_AFTER = re.compile(r"(?:127\.0\.0\.1:|process |port |myhost +)$")
ONCE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b[0-9a-f]{16}\b")  # a moment, or the id of a job
VARIES_BEFORE = re.compile(r" (?:ms|us|s|MB/s|GB/s|%)\b")
NEEDS = "where there is "
# Open MPI asks for these as root, and on fewer cores than ranks.
LAUNCHERS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_oob_tcp_if_include": "lo"}
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
    """What a line that is printed must match, both without what comes once. White space does not count where something may be longer or shorter."""
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
    environment = {**os.environ, **LAUNCHERS, "PATH": path, "COLUMNS": "120"}
    shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, text=True, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        return shell.communicate(timeout=MOST_SECONDS)[0]
    except subprocess.TimeoutExpired:
        sys.exit(f"not done after {MOST_SECONDS} s")
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)  # what the commands have left behind
        except ProcessLookupError:
            pass


def blocks_to_run(root, page):
    """The blocks of commands, and the programs for lack of which others are left out."""
    run, lacking = [], set()
    for block in pages.blocks(root, page):
        if block.language != "console" or block.marker.startswith("not run: "):
            continue
        needs = [m.removeprefix(NEEDS) for m in block.markers if m.startswith(NEEDS)]
        missing = {program for program in needs if not shutil.which(program)}
        lacking |= missing
        if not missing:
            run.append(block)
    return run, lacking


def results_of(wanted, root, build):
    """What each command prints and ends with, as far as they were reached; and all that came."""
    mark = "@ end of a command: "
    script = "".join(f"{command}\n_status=$?; printf '\\n{mark}%d\\n' $_status; (exit $_status)\n"
                     for _, command, _ in wanted)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("docs", "include", "kernels", "tools"):
            os.symlink(root / name, f"{folder}/{name}")
        os.symlink(build, f"{folder}/build")
        said = run(script, folder, f"{build}/tools:{build}/tools/examples/tutorial:{os.environ['PATH']}")
    said = ONCE.sub("once", re.sub(rf"\b{re.escape(socket.gethostname())}\b", HOST, said))
    parts = re.split(rf"^{mark}(\d+)\n", said, flags=re.M)
    return list(zip((text.rstrip("\n") for text in parts[::2]), parts[1::2])), said


def main(root, build, page):
    root, page = pathlib.Path(root).resolve(), pathlib.Path(page).resolve()
    port = str(free_port())
    here, lacking = blocks_to_run(root, page)
    wanted = [(block, command.replace(PORT, port), [ONCE.sub("once", line.replace(PORT, port)) for line in shown])
              for block in here for command, shown in commands_of(block.text)]
    results, said = results_of(wanted, root, pathlib.Path(build).resolve())
    for k, (block, command, shown) in enumerate(wanted):
        if k == len(results):
            sys.exit(f"{block.place}: not reached: {command}\n{said}")
        printed, status = results[k]
        fault = first_difference(shown, printed.split("\n") if printed else [], "in any order" in block.markers)
        if status != "0" and (k + 1 == len(wanted) or wanted[k + 1][1] != "echo $?"):
            fault = f"it ends with status {status}"
        if fault:
            sys.exit(f"{block.place}: {command}\n{fault}\n\nAll that it prints:\n{printed}")
    print(f"{len(wanted)} commands print what {page.name} shows")
    if lacking:
        print(f"SKIPPED: the commands of this page that need {', '.join(sorted(lacking))}, which is not here")
    return 77 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
