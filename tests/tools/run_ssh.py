#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""tutti run --hosts over real ssh: against an sshd that this test starts on a free port of 127.0.0.1, with keys of its
own. Two names mean it, so there are two connections. Skipped (77), loudly, where there is no sshd.

usage: run_ssh.py TUTTI
"""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import launches
import scripts
from scripts import free_port

FOLDER = tempfile.TemporaryDirectory(prefix="tutti-ssh-")
HOME = pathlib.Path(FOLDER.name)
PRIVILEGE_SEPARATION = pathlib.Path("/run/sshd")  # sshd of root wants it; Debian makes it as it starts the service

SERVER = """ListenAddress 127.0.0.1
Port {port}
HostKey {home}/host_key
AuthorizedKeysFile {home}/client_key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
"""

CLIENT = """Host a b
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {home}/client_key
  IdentitiesOnly yes
  UserKnownHostsFile {home}/known_hosts
Host refused
  HostName 127.0.0.1
  Port {closed}
Host silent
  HostName 127.0.0.1
  Port {silent}
  ConnectTimeout 1
Host stranger
  HostName 127.0.0.1
  Port {port}
  UserKnownHostsFile /dev/null
"""


def skip(why):
    scripts.skip(f"tutti run over ssh was NOT tested: {why}")


def key(name):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(HOME / name)], check=True,
                   stdin=subprocess.DEVNULL)
    return (HOME / f"{name}.pub").read_text()


def start_sshd(sshd, port):
    command = [sshd, "-D", "-e", "-f", str(HOME / "sshd_config")]
    if os.geteuid() == 0 and not PRIVILEGE_SEPARATION.exists():  # in a view of the files that only it has
        command = ["unshare", "--mount", "sh", "-c",
                   'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"', "sh", *command]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=open(HOME / "sshd.log", "wb"), start_new_session=True)
    until = time.monotonic() + 10
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.02)
    if server.poll() is None:
        server.kill()
    skip("sshd does not start here: " + (HOME / "sshd.log").read_text().strip())


class Ssh(launches.Case):
    def setUp(self):
        # The command under a name that is found on the command lines of the agents, which ssh does not give our mark.
        self.command = HOME / f"tutti-{os.urandom(6).hex()}"
        self.command.symlink_to(self.tutti)
        self.agent = ("--launch-agent", f"ssh -F {HOME}/config -o BatchMode=yes", "--address", "127.0.0.1")
        self.over_ssh = (*self.agent, "--tutti", str(self.command))

    def assert_all_gone(self, launched):
        self.assertEqual(launched.left(), [])
        until = time.monotonic() + 4
        while agents := [p for p in launches.processes() if launches.says(p, bytes(self.command))]:
            self.assertLess(time.monotonic(), until, agents)
            time.sleep(0.02)

    def test_a_bench_over_ssh_is_one_bench(self):
        r = self.launch("--hosts", "a:1,b:1", *self.over_ssh, self.tutti, "bench", "--transport", "tcp", "-b", "8",
                        "-e", "1K", "-f", "128", "-n", "3")
        outcome = r.outcome()
        self.assertEqual(outcome.status, 0, outcome)
        self.assertEqual(outcome.text.count("# wrong elements: 0\n"), 1, outcome)
        self.assert_all_gone(r)

    def test_folder_variables_and_output_go_through_ssh_and_the_secret_stays_off_command_lines(self):
        here = self.folder()
        command = """pwd; echo "$MINE"; seq 5000; echo err >&2; printf end; """
        command += """cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | """
        command += """awk 'index($0, ENVIRON["TUTTI_SECRET"]) { seen++ } END { print seen + 0 }' >&2"""
        r = self.launch("--hosts", "a", *self.over_ssh, "--env", "MINE=it's \"$x\" \\ ", "sh", "-c", command, cwd=here)
        outcome = r.outcome()
        lines = [f"[0] {line}" for line in [str(here), "it's \"$x\" \\ ", *map(str, range(1, 5001)), "end", "err", "0"]]
        self.assertEqual(sorted(outcome.text.splitlines()), sorted(lines))
        self.assert_all_gone(r)

    def test_hosts_that_cannot_be_reached_are_named_with_the_words_of_ssh(self):
        outcome = self.run_to_end("--hosts", "a,refused,silent,stranger", *self.over_ssh, "true")
        self.assertEqual(outcome.status, 1, outcome)
        self.assertIn("3 of 4 hosts could not be reached:\n", outcome.text)
        self.assertRegex(outcome.text, r"  refused: ssh: connect to host 127\.0\.0\.1 port \d+: Connection refused")
        self.assertRegex(outcome.text, r"  silent: .*Connection timed out")
        self.assertRegex(outcome.text, r"  stranger: .*Host key verification failed\.")

    def test_a_tutti_that_is_not_there_is_told(self):
        outcome = self.run_to_end("--hosts", "a", *self.agent, "--tutti", "/no/such/tutti", "true")
        self.assertEqual(outcome.status, 1, outcome)
        self.assertIn("/no/such/tutti", outcome.text)
        self.assertIn("--tutti says where the command lies there", outcome.text)

    def start_sleepers(self):
        here = self.folder()
        r = self.launch("--hosts", "a,b", *self.over_ssh, "--patience", "0", "sh", "-c",
                        f"sleep 50 & echo $$ >{here}/$TUTTI_RANK; exec sleep 50")
        return r, [int(self.text_of(here / str(rank))) for rank in (0, 1)]

    def test_a_remote_rank_that_is_killed_ends_all(self):
        r, ranks = self.start_sleepers()
        os.kill(ranks[1], signal.SIGKILL)
        outcome = r.outcome()
        self.assertEqual(outcome.status, 128 + signal.SIGKILL, outcome)
        self.assertIn("rank 1 on b was ended by signal 9 (SIGKILL) after ", outcome.text)
        self.assert_all_gone(r)

    def test_an_interrupt_reaches_all_ranks(self):
        r, _ = self.start_sleepers()
        r.process.send_signal(signal.SIGINT)
        outcome = r.outcome()
        self.assertEqual(outcome.status, 128 + signal.SIGINT, outcome)
        self.assert_all_gone(r)

    def test_nothing_is_left_anywhere_when_the_launcher_is_killed(self):
        r, _ = self.start_sleepers()
        self.assertGreaterEqual(len(r.left(0)), 6)
        r.process.kill()
        self.assertEqual(r.outcome().status, -signal.SIGKILL)
        self.assert_all_gone(r)

    def test_a_connection_that_breaks_loses_its_host(self):
        r, _ = self.start_sleepers()
        connection = next(p for p in r.left(0) if launches.says(p, b"ssh\0-F") and launches.says(p, b"\0b\0"))
        os.kill(connection, signal.SIGKILL)
        outcome = r.outcome()
        self.assertEqual(outcome.status, 1, outcome)
        self.assertIn("rank 1 was lost after ", outcome.text)
        self.assertIn(" host b: ", outcome.text)
        self.assert_all_gone(r)


def main():
    sshd = shutil.which("sshd") or shutil.which("/usr/sbin/sshd")
    if not sshd or not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        skip("openssh-server and openssh-client are not installed")
    silent = socket.create_server(("127.0.0.1", 0))  # it takes connections, and never says a word
    names = {"home": HOME, "port": free_port(), "closed": free_port(), "silent": silent.getsockname()[1],
             "user": getpass.getuser()}
    key("client_key")
    (HOME / "known_hosts").write_text(f"[127.0.0.1]:{names['port']} {key('host_key')}")
    (HOME / "sshd_config").write_text(SERVER.format(**names))
    (HOME / "config").write_text(CLIENT.format(**names))
    server = start_sshd(sshd, names["port"])
    try:
        launches.main(__name__)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
