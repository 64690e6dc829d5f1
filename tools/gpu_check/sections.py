# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""The sections of tools/gpu-check, and how one is run."""
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from .programs import EXACTNESS, PROGRAMS

PYTORCH = str(pathlib.Path(__file__).resolve().parent / "torch_update.py")
SANITIZER = tuple(["compute-sanitizer", "--error-exitcode", "1", "--tool", tool, program, "little"]
                  for program in ("groups", "schedules") for tool in ("memcheck", "initcheck", "synccheck"))
# What a sanitizer says of itself where it does not work, and not of the program.
REFUSED = re.compile(r"=========(?!.*Program hit).*not supported", re.IGNORECASE)
# Each section's seconds, and its commands: programs with arguments. What may not end comes last.
SECTIONS = {
    "facts": (20, (["facts"],)),
    "exactness": (60, tuple([name] for name in EXACTNESS)),
    "groups": (30, (["groups"],)),
    "schedules": (60, (["schedules"],)),
    "speed": (60, (["speed"],)),
    "processes": (120, (["processes"],)),
    "streams": (100, (["streams"],)),
    "pytorch": (90, ([sys.executable, PYTORCH],)),
    "sanitizer": (120, SANITIZER),
}
QUICK = ("facts", "exactness", "groups", "schedules", "processes", "streams")


def programs_of(names):
    """What must be compiled for these sections, in their order."""
    return list(dict.fromkeys(word for name in names for command in SECTIONS[name][1] for word in command
                              if word in PROGRAMS))


def why_impossible(name):
    """Why a section cannot be on this machine, before it is tried."""
    if name == "sanitizer" and not shutil.which("compute-sanitizer"):
        return "compute-sanitizer is not installed"
    if name == "pytorch" and not importlib.util.find_spec("torch"):
        return "PyTorch is not installed"
    return ""


def run_command(words, seconds):
    """Runs it until then; returns its exit status (None: out of time) and what it printed. No process is left."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as running:
        try:
            said, _ = running.communicate(timeout=seconds)
            return running.returncode, said
        except subprocess.TimeoutExpired:
            kill_group(running)
            return None, running.communicate()[0]
        finally:
            kill_group(running)  # ranks that outlive their program, also where this script is ended


def kill_group(running):
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_section(name, builds, end):
    """Runs one section, until then at most; returns it as the report has it."""
    left, commands = SECTIONS[name]
    told = {"section": name, "outcome": "passed", "why": why_impossible(name), "lines": []}
    if told["why"]:
        return told | {"outcome": "impossible"}
    for command in commands:
        wrong = "".join(builds.wrong_with(word, max(0, end - time.monotonic())) for word in command if word in PROGRAMS)
        if wrong:
            return told | {"outcome": "failed", "why": wrong}
        begin = time.monotonic()
        words = [str(builds.path(word)) if word in PROGRAMS else word for word in command]
        status, said = run_command(words, max(1, min(left, end - begin)))
        left -= time.monotonic() - begin
        told["lines"] += [line.split("\t") for line in said.splitlines() if line.startswith(("check", "figure", "fact"))]
        if name == "sanitizer" and status and any(REFUSED.match(line) for line in said.splitlines()):
            return told | {"outcome": "impossible", "why": said[-400:]}
        if status != 0:
            return told | {"outcome": "failed", "why": why_failed(command, status, said)}
    return told


def why_failed(command, status, said):
    words = " ".join(command)
    if status is None:
        last = said.rstrip().rpartition("\n")[2]
        return f"no time left for {words}" + (f"; it printed last: {last}" if last else "; it printed nothing")
    return f"{words} ended with {status}\n{said[-2000:]}"
