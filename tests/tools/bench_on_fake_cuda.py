#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when tutti bench measures calls on device memory, and compares runs of one kind of GPU alone.

usage: bench_on_fake_cuda.py COMMAND
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def bench(command, *words):
    done = subprocess.run([command, "bench", "--transport", "cuda_ipc", "--ranks", "2", "-n", "2", "-w", "1", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
    return done.returncode, done.stdout


def main(command):
    with tempfile.TemporaryDirectory() as name:
        rows, trace = pathlib.Path(name) / "rows.json", pathlib.Path(name) / "trace.json"
        status, said = bench(command, "--operation", "all,barrier", "--op", "sum,average", "--bytes", "8,200K",
                             "--json", str(rows))
        assert status == 0 and "# wrong elements: 0" in said, said
        told = json.loads(rows.read_text())
        assert len({row["operation"] for row in told}) == 11, said
        assert all(row["wrong"] == 0 and row["device"] == "the tests' CUDA" for row in told), told[0]

        status, said = bench(command, "--overlap", "--timing", "barrier", "--bytes", "4K", "--trace", str(trace))
        assert status == 0 and json.loads(trace.read_text())["traceEvents"], said

        status, said = bench(command, "--timing", "stream", "--op", "sum,average", "--bytes", "8,200K", "--json", str(trace))
        assert status == 0 and "# wrong elements: 0" in said and "on a stream, by its events" in said, said
        on_stream = json.loads(trace.read_text())
        assert len(on_stream) == 8 and all(row["wrong"] == 0 and row["timing"] == "stream" and row["time_us"] > 0
                                            for row in on_stream), said
        for refused in (("--algorithm", "ring"), ("--operation", "broadcast"), ("--overlap",), ("--trace", str(trace))):
            status, said = bench(command, "--timing", "stream", "--bytes", "8", *refused)
            assert status == 2 and ("stream" in said or "loop" in said), said

        for row in told:
            row["device"] = "another GPU"
        rows.write_text(json.dumps(told))
        status, said = bench(command, "--bytes", "8", "--against", str(rows))
        assert status == 2 and "device is the tests' CUDA now, but another GPU in" in said, said
    print("device memory is measured, and checked")


if __name__ == "__main__":
    main(sys.argv[1])
