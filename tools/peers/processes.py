# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Runs a command of which no process is left when it is over, however it ends."""
import ctypes
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time

GRACE_S = 5  # from SIGTERM until SIGKILL: launchers end their ranks meanwhile
PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


class Failed(Exception):
    pass


class TooSlow(Failed):
    pass


def adopt_orphans():
    """Launchers give their ranks groups and sessions of their own; but now each process that loses its parent becomes a
    child of this one, so that all of them stay below it."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents():
    """Of each process that is alive."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # gone in the meantime
        if state != "Z":
            found[int(folder.name)] = int(parent)
    return found


def descendants():
    """The processes below this one that are alive."""
    parent_of, found, level = parents(), [], {os.getpid()}
    while level:
        level = {pid for pid, parent in parent_of.items() if parent in level}
        found += level
    return found


def left():
    """Waits until no descendant is alive, GRACE_S at most. Those that still are."""
    until = time.monotonic() + GRACE_S
    while (alive := descendants()) and time.monotonic() < until:
        time.sleep(0.05)
    return alive


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end(child):
    """Ends the child and all that it started, and buries them."""
    if descendants():
        send([child.pid], signal.SIGTERM)  # not reaped yet, so the number is still its own
        send(left(), signal.SIGKILL)
        left()
    child.wait()
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass  # there are no more


def run(command, environment, limit_s):
    """Returns when the command has succeeded. Throws Failed with its last words, TooSlow after limit_s. Waits without
    waking up, so as not to disturb what is measured. For a process that has no other children."""
    adopt_orphans()
    with tempfile.TemporaryFile() as words:
        try:
            child = subprocess.Popen(command, env={**os.environ, **environment}, start_new_session=True,
                                     stdin=subprocess.DEVNULL, stdout=words, stderr=words)
        except OSError as reason:
            raise Failed(str(reason)) from reason
        try:
            handle = os.pidfd_open(child.pid)
            try:
                done = select.select([handle], [], [], limit_s)[0]
            finally:
                os.close(handle)
        finally:
            end(child)
        if not done:
            raise TooSlow(f"not done within {limit_s:g} s")
        if child.returncode != 0:
            words.seek(0)
            said = words.read().decode(errors="replace").strip().split("\n")
            raise Failed(f"status {child.returncode}: " + " | ".join(said[-3:]))
