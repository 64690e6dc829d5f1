#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when every script of tools/ answers --help, and options and values that it does not take, at once.

usage: scripts.py
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
WORKING = ("apt-get", "cmake", "g++", "meson", "ninja", "sudo")  # what only the work of a script would start


class Scripts(unittest.TestCase):
    def answer(self, script, *options):
        with tempfile.TemporaryDirectory(prefix="tutti-scripts-") as folder:
            for name in WORKING:
                trap = pathlib.Path(folder) / name
                trap.write_text(f"#!/bin/sh\necho {name} was started >&2\nexit 99\n")
                trap.chmod(0o755)
            return subprocess.run([script, *options], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, text=True,
                                  cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)

    def test_all_answer(self):
        scripts = [s for s in sorted(TOOLS.iterdir()) if s.is_file() and s.read_bytes().startswith(b"#!")]
        self.assertGreater(len(scripts), 20)
        for script in scripts:
            with self.subTest(script.name):
                helped = self.answer(script, "--help")
                self.assertEqual((helped.returncode, helped.stderr), (0, ""))
                self.assertGreater(len(helped.stdout.split()), 10)
                refused = self.answer(script, "--no-such-option")
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertNotIn("was started", refused.stderr)
                self.assertNotEqual(refused.stderr, "")

    def test_values_are_looked_at_before_the_work(self):
        for script, option, value in (("soak", "--minutes", "abc"), ("soak", "--seed", "1.5"), ("soak", "--jobs", "0"),
                                      ("soak", "--deadline", "99"), ("soak", "--over", "tcp"), ("fuzz", "--seconds", "abc"),
                                      ("check", "--only", "nothing"), ("compile-time", "--rounds", "abc"),
                                      ("compare-peers", "--sizes", "abc"), ("compare-perftest", "--rounds", "abc")):
            with self.subTest(script, value=value):
                refused = self.answer(TOOLS / script, option, value)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertNotIn("was started", refused.stderr)


if __name__ == "__main__":
    unittest.main()
