#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when ranks meet whose hosts know themselves by loopback alone: two namespaces with a cable between them and
without a default route, where each resolves its own name to 127.0.1.1 or ::1, and ranks in turn on both. Skipped (77),
loudly, where no namespaces can be made.

usage: own_name.py RANKS
"""
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile

from started import CLEAN, expect, skip

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from namespaces import Host, NotHere

ADDRESSES = ("10.77.0.1", "10.77.0.2")  # nobody else sees them
RANKS = 4
SECONDS = 30


def connected(folder, own):
    hosts = []
    (folder / "resolv.conf").write_text("")
    for i in range(2):
        known = folder / f"hosts-{i}"
        known.write_text("127.0.0.1 localhost\n" + "".join(
            f"{own if i == j else ADDRESSES[j]} node-{j}\n" for j in range(2)))
        hosts.append(Host(f"node-{i}", {"/etc/hosts": known, "/etc/resolv.conf": folder / "resolv.conf"}))
    hosts[0].do("ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns",
                str(hosts[1].keeper.pid), failure=NotHere)
    for host, address in zip(hosts, ADDRESSES):
        host.do("ip", "address", "add", f"{address}/24", "dev", "cable")
        host.do("ip", "link", "set", "cable", "up")
    return hosts


def run(hosts, program):
    environment = {name: value for name, value in CLEAN.items() if name != "TUTTI_INTERFACE"} | {
        "TUTTI_SIZE": str(RANKS), "TUTTI_ADDRESS": "node-0:29500", "TUTTI_SECRET": secrets.token_hex(16)}
    started = [subprocess.Popen(hosts[rank % 2].inside([program, "alone"]), env=environment | {"TUTTI_RANK": str(rank)},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for rank in range(RANKS)]
    output = ""
    for process in started:
        try:
            output += process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            output += process.communicate()[0] + "it did not end\n"
    return [process.returncode for process in started], output


def main(program):
    program = str(pathlib.Path(program).resolve())  # hosts have folders of their own
    for own in ("127.0.1.1", "::1"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                hosts = connected(pathlib.Path(folder), own)
            except NotHere as e:
                skip(f"hosts that know themselves by loopback were NOT tested: {e}")
            status, output = run(hosts, program)
            for host in hosts:
                host.close()
        expect(status == [0] * RANKS, f"all reach each other where a host's own name means {own}", output)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
