# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Who takes part, how each is started, and what of it is there."""
import dataclasses
import os
import shutil
import subprocess

from .ways import TRANSPORTS, Way

GLOO_ALGORITHMS = ("ring", "ring_chunked", "halving_doubling", "bcube")
OURS = ("tutti", "symmetric")  # with plain buffers, and with those of communicator.allocate
PROBE = "probe"  # bare sockets
FLAGS, FLAGS_MOST_BYTES = "flags", 4096  # the bare exchange of flags, and what it takes at a time
IN_PLACE = ("allreduce", "broadcast")  # the other operations are measured out of place
OF_GLOO = ("allreduce", "reduce_scatter", "allgather", "broadcast")  # those that Gloo is measured with
EXCHANGES = ("pingpong", "sendrecv", "stream", "halo")  # messages
OPERATIONS = OF_GLOO + ("reduce", "gather", "scatter", "scan", "exscan", "alltoall") + EXCHANGES

OPEN_MPI = ["mpiexec.openmpi", "--mca", "pml", "ob1", "--mca", "btl"]
OPEN_MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# MPICH takes ranks for neighbours that share a host, and then messages through shared memory, unless told otherwise.
MPICH_OVER_TCP = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


@dataclasses.dataclass(frozen=True)
class Row:
    """What is measured: one call of one size."""
    transport: str
    ranks: int
    operation: str
    bytes: int
    way: Way = Way()
    imbalance: str = ""  # one of the way's; empty: in step


@dataclasses.dataclass(frozen=True)
class Contestant:
    name: str
    family: str  # the group that it belongs to
    program: str = ""  # under bench/peers of the build folder
    launcher: str = ""  # what must be installed to start it, if it is not ours
    algorithm: str = ""

    def takes(self, row):
        if self.family == "symmetric":
            return (row.transport == "shared_memory" and row.operation == "allreduce" and row.way.memory == "page"
                    and not row.imbalance)
        if self.family == PROBE:
            return row.transport == "tcp" and row.ranks & (row.ranks - 1) == 0 and row.operation == "allreduce"
        if self.family == "flags":
            return (row.transport == "shared_memory" and row.ranks == 2 and row.operation == "allreduce"
                    and row.bytes <= FLAGS_MOST_BYTES)
        if self.family == "gloo":
            by_name = row.operation == "allreduce"  # Gloo has one algorithm for each of the other operations
            return row.transport == "tcp" and row.operation in OF_GLOO and by_name == bool(self.algorithm)
        return True

    def command(self, build, row, seconds, room, json):
        """The command and what its environment holds besides."""
        way = row.way
        if self.family in OURS:
            memory = ["symmetric"] if self.family == "symmetric" else [way.memory] + ["--offset", str(way.offset)] * bool(way.offset)
            return [str(build / "tools/tutti"), "bench", "--transport", row.transport, "--ranks", str(row.ranks),
                    "--operation", row.operation, "--algorithm", self.algorithm, "-b", str(row.bytes), "-e", str(row.bytes),
                    "--seconds", f"{seconds:g}", "--place", "in" if row.operation in IN_PLACE else "out",
                    "--json", json, "--bind", way.bind, "--memory", *memory,
                    *(["--imbalance", row.imbalance] if row.imbalance else ["--timing", way.timing])], {}
        program = [str(build / "bench/peers" / self.program), row.operation, str(row.bytes), f"{seconds:g}", way.memory,
                   str(way.offset), row.imbalance or {"loop": "loop", "barrier": "none"}[way.timing], room, json]
        start, environment = self.launch(build, row)
        return start + program + [self.algorithm] * bool(self.algorithm), environment

    def launch(self, build, row):
        ranks = str(row.ranks)
        if self.family == "openmpi":
            crowded = ["--oversubscribe"] if row.ranks > os.cpu_count() else []
            layers = ["vader,self"] if row.transport == "shared_memory" else ["tcp,self", "--mca", "btl_tcp_if_include", "lo"]
            return OPEN_MPI + layers + crowded + ["--bind-to", row.way.bind, "-n", ranks], OPEN_MPI_AS_ROOT
        if self.family == "mpich":
            return ["mpiexec.mpich", "-bind-to", row.way.bind, "-n", ranks], MPICH_OVER_TCP if row.transport == "tcp" else {}
        return [str(build / "tools/tutti"), "run", "-n", ranks, "--bind", row.way.bind, "--"], {}


def ours(algorithm):
    return [Contestant(name, name, algorithm=algorithm) for name in OURS]


PEERS = [
    Contestant("openmpi", "openmpi", "openmpi", "mpiexec.openmpi"),
    Contestant("mpich", "mpich", "mpich", "mpiexec.mpich"),
    *(Contestant(f"gloo {name}", "gloo", "gloo", algorithm=name) for name in GLOO_ALGORITHMS),
    Contestant("gloo", "gloo", "gloo"),
    Contestant(PROBE, PROBE, "socket_probe"),
    Contestant(FLAGS, FLAGS, "flag_probe"),
]
GROUPS = {"peers": ("openmpi", "mpich", "gloo"), "mpi": ("openmpi", "mpich"), "gloo": ("gloo",), PROBE: (PROBE,)}
PACKAGES = {"openmpi": "libopenmpi-dev", "mpich": "libmpich-dev", "gloo": "libgloo-dev"}


def names_in(group, contestants):
    return {c.name for c in contestants if c.family in GROUPS[group]}


def installed(build):
    """The peers that can run: those whose program was built and whose launcher is there."""
    return [p for p in PEERS if (build / "bench/peers" / p.program).exists() and (not p.launcher or shutil.which(p.launcher))]


def transports_of(build):
    """Those of ours that this build offers, and that peers have too."""
    said = subprocess.run([build / "tools/tutti", "bench", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [t for t in TRANSPORTS if t in said]
