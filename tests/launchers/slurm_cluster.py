# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""A Slurm of two virtual nodes on this host, for a test: without systemd, munge or accounting, on loopback alone."""
import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
import time

from started import CLEAN, found, free_port, run, skip

NODES = ("n1", "n2")


def configuration(folder):
    host = socket.gethostname()
    nodes = "".join(f"NodeName={n} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=8\n" for n in NODES)
    return f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
{nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
"""


@contextlib.contextmanager
def cluster():
    """The environment in which srun reaches it. All that it started has ended when this ends."""
    missing = [name for name in ("slurmctld", "slurmd", "srun") if not found(name)]
    if missing:
        skip(f"Slurm was NOT tested, since there is no {' and no '.join(missing)}")
    if os.geteuid() != 0:
        skip("Slurm was NOT tested: its daemons need root")
    with tempfile.TemporaryDirectory(prefix="tutti-slurm-") as name, contextlib.ExitStack() as ends:
        folder = pathlib.Path(name)
        for part in ("state", *NODES):
            (folder / part).mkdir()
        file = folder / "slurm.conf"
        file.write_text(configuration(folder))
        here = {"SLURM_CONF": str(file)}
        for daemon in (["slurmctld", "-D", "-c"], *(["slurmd", "-D", "-N", n] for n in NODES)):
            ends.enter_context(running(daemon, here))
        wait_until_idle(here, folder)
        yield here


@contextlib.contextmanager
def running(command, more):
    process = subprocess.Popen(command, env=CLEAN | more, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_idle(here, folder):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        status, states = run(["sinfo", "-h", "-o", "%T %D"], here, 10)
        if status == 0 and states.split() == ["idle", str(len(NODES))]:
            return
        time.sleep(0.2)
    skip("Slurm was NOT tested, since its daemons do not come up here:\n" +
         "".join(log.read_text()[-800:] for log in folder.glob("*.log")))
