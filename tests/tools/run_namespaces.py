#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""tutti run --hosts between hosts that are network namespaces: two and three of them, cyclic placement, an interface that
must not be chosen, IPv6 alone, names that do not resolve. Skipped (77), loudly, where no namespaces can be made.

Each host has a cable to a router. Its default route leads elsewhere: to the interface `blind`, which has the same address
on every host, so that data which went there would never arrive. Its own name, as the system tells it, does not resolve.

usage: run_namespaces.py TUTTI
"""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import launches

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from namespaces import Host, NotHere, bytes_sent

HELD = tempfile.TemporaryDirectory(prefix="tutti-namespaces-")
FOLDER = pathlib.Path(HELD.name)


def v4(i):
    return f"10.77.{i}.2"


def v6(i):
    return f"fd77:0:0:{i}::2"


class World:
    """So many hosts and a router between them; `address` gives what the names host-0, host-1 ... mean on all of them."""

    def __init__(self, name, size, address, families, own_name_is_local=False):
        self.hosts = []
        self.router = Host("router")
        self.router.do("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding")
        (FOLDER / "resolv.conf").write_text("")
        for i in range(size):
            known = FOLDER / f"{name}-{i}"
            known.write_text("127.0.0.1 localhost\n::1 localhost\n" + "".join(
                f"{'127.0.1.1' if own_name_is_local and i == j else address(j)} host-{j}\n" for j in range(size)))
            host = Host(f"node-{i}", {"/etc/hosts": known, "/etc/resolv.conf": FOLDER / "resolv.conf"})
            self.hosts.append(host)
            self.connect(host, i, families)
        self.agent = FOLDER / f"{name}-agent"
        self.agent.write_text("#!/bin/sh\ncase $1 in\n" + "".join(
            f"host-{i} | nowhere-{i} | {v4(i)} | {v6(i)}) pid={h.keeper.pid} ;;\n" for i, h in enumerate(self.hosts)) +
            "*) echo no host $1; exit 255 ;;\nesac\n"
            'exec nsenter --target=$pid --net --uts --mount -- sh -c "$2"\n')
        self.agent.chmod(0o755)

    def connect(self, host, i, families):
        self.router.do("ip", "link", "add", f"to-{i}", "type", "veth", "peer", "name", "cable", "netns",
                       str(host.keeper.pid), failure=NotHere)
        self.router.do("ip", "link", "set", f"to-{i}", "up")
        host.do("ip", "link", "add", "blind", "type", "veth", "peer", "name", "blind-end")
        for interface in ("cable", "blind", "blind-end"):
            host.do("ip", "link", "set", interface, "up")
        for family in families:
            near, far, bits, all_hosts = {4: (v4(i), f"10.77.{i}.1", 24, "10.77.0.0/16"),
                                          6: (v6(i), f"fd77:0:0:{i}::1", 64, "fd77::/32")}[family]
            quick = ["nodad"] if family == 6 else []
            self.router.do("ip", "address", "add", f"{far}/{bits}", "dev", f"to-{i}", *quick)
            host.do("ip", "address", "add", f"{near}/{bits}", "dev", "cable", *quick)
            host.do("ip", "route", "add", all_hosts, "via", far)
            blind, nobody = {4: ("192.168.77.1/24", "192.168.77.9"), 6: ("fd99::1/64", "fd99::9")}[family]
            host.do("ip", "address", "add", blind, "dev", "blind", *quick)
            host.do("ip", f"-{family}", "route", "add", "default", "via", nobody)

    def close(self):
        for host in [*self.hosts, self.router]:
            host.close()


class Namespaces(launches.Case):
    def bench(self, world, hosts, *more, transport="routed", most="64K", environment=None):
        """The rows of a bench, each of its elements right; what was sent by `blind` is next to nothing."""
        rows = self.folder() / "rows.json"
        before = [bytes_sent(h, "blind") for h in world.hosts]
        r = self.run_to_end("--hosts", hosts, "--launch-agent", str(world.agent), *more, self.tutti, "bench",
                            "--transport", transport, "--place", "in", "-b", "8", "-e", most, "-f", "8192", "-n", "3",
                            "--json", str(rows), environment={"TUTTI_BOOTSTRAP_TIMEOUT": "15", **(environment or {})})
        self.assertEqual(r.status, 0, r)
        found = json.loads(rows.read_text())
        self.assertTrue(found and all(row["wrong"] == 0 for row in found), r)
        for host, sent in zip(world.hosts, before):
            self.assertLess(bytes_sent(host, "blind") - sent, 2000)
        return found


class FourAndSix(Namespaces):
    @classmethod
    def setUpClass(cls):
        cls.world = World("both", 3, v4, (4, 6))
        cls.addClassCleanup(cls.world.close)

    def test_two_hosts_by_the_interface_that_leads_to_rank_0(self):
        rows = self.bench(self.world, "host-0:2,host-1:2")
        self.assertEqual([row["ranks"] for row in rows], [4, 4])
        self.assertTrue(rows[1]["chosen"].startswith("hierarchical:"), rows)
        self.bench(self.world, "host-0:1,host-1:1", transport="tcp", environment={"TUTTI_INTERFACE": "^blind"})

    def test_three_hosts_with_ranks_in_turn(self):
        cyclic = ",".join(f"host-{rank % 3}" for rank in range(6))
        rows = self.bench(self.world, cyclic)
        self.assertEqual(rows[0]["ranks"], 6)
        self.assertTrue(rows[1]["chosen"].startswith("hierarchical:"), rows)

    def test_hosts_by_their_numbers(self):
        self.bench(self.world, f"{v4(2)}:1,{v4(0)}:1", transport="tcp")
        self.bench(self.world, f"[{v6(1)}]:1,[{v6(0)}]:1", transport="tcp")

    def test_a_name_that_does_not_resolve_is_told_with_its_host_and_an_address_mends_it(self):
        hosts = "nowhere-0:1,nowhere-1:1"
        r = self.run_to_end("--hosts", hosts, "--launch-agent", str(self.world.agent), "true")
        self.assertEqual(r.status, 1, r)
        self.assertRegex(r.text, r"host nowhere-\d: it does not know rank 0's host nowhere-0: .*--address")
        self.bench(self.world, hosts, "--address", v4(0), transport="tcp")
        self.bench(self.world, hosts, "--address", f"{v4(0)}:29500", transport="tcp")


class SixAlone(Namespaces):
    def test_two_hosts(self):
        world = World("six", 2, v6, (6,))
        self.addCleanup(world.close)
        self.bench(world, "host-0:2,host-1:2")
        self.bench(world, f"[{v6(1)}]:1,[{v6(0)}]:1", transport="tcp")


class OwnNameIsLocal(Namespaces):
    """As Debian has it: a host's own name means 127.0.1.1 there."""

    def test_the_way_is_told_by_the_interface(self):
        world = World("local", 2, v4, (4,), own_name_is_local=True)
        self.addCleanup(world.close)
        self.bench(world, "host-0:1,host-1:1", transport="tcp", environment={"TUTTI_INTERFACE": "^blind"})
        self.bench(world, "host-0:1,host-1:1", "--address", v4(0), transport="tcp")


def main():
    try:
        World("trial", 1, v4, (4,)).close()
    except (NotHere, FileNotFoundError) as e:
        print(f"SKIPPED: tutti run between hosts was NOT tested: {e}")
        sys.exit(77)
    launches.main(__name__)


if __name__ == "__main__":
    main()
