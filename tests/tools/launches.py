# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Launches of tutti run for tests: each is marked, so that a test finds every process that belongs to it, and no other."""
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MARK = "TUTTI_TEST_MARK"  # begins with TUTTI_, so it goes to the ranks of all hosts


class Outcome:
    def __init__(self, status, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds

    def __str__(self):
        return f"status {self.status} after {self.seconds:.1f} s:\n{self.text}"


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def says(pid, what):
    """Whether a process has these bytes in its environment or on its command line. One that has ended has neither."""
    for file in ("environ", "cmdline"):
        try:
            if what in pathlib.Path(f"/proc/{pid}/{file}").read_bytes():
                return True
        except OSError:
            pass
    return False


def signals(disposition):
    """For what is started: a shell that starts tests in the background has it ignore SIGINT."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, disposition)


class Launch:
    """tutti run with these arguments, in the background."""

    def __init__(self, tutti, *arguments, environment=None, **popen):
        self.mark = secrets.token_hex(8)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TUTTI_")}
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [tutti, "run", *arguments], env={**kept, MARK: self.mark, **(environment or {})}, text=True,
            stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT,
                                         "preexec_fn": lambda: signals(signal.SIG_DFL), **popen})

    def outcome(self, timeout=30):
        try:
            text, _ = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            text, _ = self.process.communicate()
            text = f"{text}\nIT DID NOT END WITHIN {timeout} s"
        return Outcome(self.process.returncode, text, time.monotonic() - self.begun)

    def left(self, within=4.0):
        """Processes of it that have not ended after a while."""
        until = time.monotonic() + within
        while True:
            found = [pid for pid in processes() if pid != os.getpid() and says(pid, self.mark.encode())]
            if not found or time.monotonic() > until:
                return found
            time.sleep(0.02)

    def clean(self):
        for pid in [self.process.pid] * (self.process.poll() is None) + self.left(0):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


class Case(unittest.TestCase):
    """A test that launches, and leaves no process behind."""
    tutti = None  # the path of the command

    def launch(self, *arguments, **more):
        launched = Launch(self.tutti, *arguments, **more)
        self.addCleanup(launched.clean)
        return launched

    def run_to_end(self, *arguments, **more):
        launched = self.launch(*arguments, **more)
        outcome = launched.outcome()
        self.assertEqual(launched.left(), [], outcome)
        return outcome

    def folder(self):
        held = tempfile.TemporaryDirectory(prefix="tutti-run-")
        self.addCleanup(held.cleanup)
        return pathlib.Path(held.name)

    def text_of(self, file, within=10.0):
        """What ranks have written to a file: at least a line of it."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            if file.exists() and file.read_text().endswith("\n"):
                return file.read_text().strip()
            time.sleep(0.01)
        self.fail(f"nothing came in {file}")


def main(module):
    """unittest's, with the tutti command as the first argument."""
    Case.tutti = os.path.abspath(sys.argv.pop(1))
    unittest.main(module=module, argv=sys.argv, verbosity=1)
