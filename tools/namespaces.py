# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Hosts that are namespaces of this one, for tools/two-hosts and tests. Needs root."""
import json
import shlex
import subprocess


class NotHere(Exception):
    """What the system does not let us do."""


class Host:
    """A network, a host name and, with `files`, a view of the files, for as long as this program lives: their keeper ends
    when its standard input does. `files`: paths of this host, and what they hold in that view."""

    def __init__(self, name, files=None):
        self.spaces = ["--net", "--uts", *(["--mount"] if files else [])]
        text = [f"hostname {name}", "ip link set lo up"]
        text += [f"mount --bind {shlex.quote(str(there))} {shlex.quote(path)}" for path, there in (files or {}).items()]
        self.keeper = subprocess.Popen(
            ["unshare", *self.spaces, "sh", "-c", " && ".join([*text, "echo ready", "exec cat"])], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.keeper.stdout.readline() != "ready\n":
            raise NotHere(f"no namespaces: {self.keeper.stderr.read().strip()}")

    def inside(self, command):
        """The command that runs another one here. Its process goes with this program, however that ends."""
        return ["setpriv", "--pdeathsig", "KILL", "nsenter", f"--target={self.keeper.pid}", *self.spaces, "--", *command]

    def do(self, *command, failure=RuntimeError):
        done = subprocess.run(self.inside(command), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise failure(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def close(self):
        """Ends it; at the latest the end of this program does."""
        self.keeper.stdin.close()
        self.keeper.wait()
        self.keeper.stdout.close()
        self.keeper.stderr.close()


def bytes_sent(host, interface):
    return json.loads(host.do("ip", "-s", "-j", "link", "show", interface))[0]["stats64"]["tx"]["bytes"]
