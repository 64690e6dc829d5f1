# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""What tutti means to reach, beside whom, and whether it does."""
import dataclasses

from .sizes import amount

KI, MI = 1 << 10, 1 << 20
LARGEST = 64 * MI


@dataclasses.dataclass(frozen=True)
class Target:
    """Median ratios (their time over ours): of every row from smallest to largest, and their geometric mean. A row is of
    a number of bytes, or out of step of a wait in microseconds."""
    transport: str
    against: str  # a group of contestants
    every: float
    mean: float | None = None
    ranks: int | None = None  # None: any number
    operations: tuple = ("allreduce",)
    buffers: str = "plain"
    smallest: int = 0
    largest: int = LARGEST
    figure: str = "time"  # or cpu: processor time of an operation, all ranks together; late, behind: calls out of step


OTHERS = ("reduce_scatter", "allgather", "broadcast", "reduce", "gather", "scatter", "scan", "exscan",
          "alltoall")
TARGETS = [
    Target("shared_memory", "peers", 1.0, 1.3, ranks=2),
    Target("shared_memory", "peers", 1.6, 2.2, ranks=2, buffers="symmetric", smallest=64 * KI),
    Target("shared_memory", "peers", 1.0, 1.5, ranks=4),
    Target("shared_memory", "peers", 1.8, 3.0, ranks=4, buffers="symmetric", smallest=64 * KI),
    Target("tcp", "peers", 0.95, 1.4, ranks=2),
    Target("tcp", "peers", 1.0, 2.0, ranks=4),
    Target("tcp", "gloo", 5.0, largest=64 * KI),
    Target("tcp", "gloo", 2.5, smallest=128 * KI, largest=16 * MI),
    Target("tcp", "gloo", 1.7, smallest=64 * MI),
    Target("tcp", "probe", 0.9),
    Target("shared_memory", "mpi", 1.0, operations=OTHERS),
    Target("tcp", "mpi", 1.0, operations=OTHERS),
    Target("shared_memory", "mpi", 1.0, operations=("pingpong", "sendrecv")),
    Target("shared_memory", "mpi", 0.8, operations=("stream",)),
    Target("tcp", "mpi", 1.0, operations=("pingpong", "sendrecv", "stream")),
    *(Target(transport, "mpi", 1.1, ranks=ranks, operations=("halo",), smallest=128, largest=8 * KI)
      for transport in ("shared_memory", "tcp") for ranks in (2, 4)),
    Target("shared_memory", "peers", 1.0, ranks=4, figure="cpu"),
    Target("tcp", "peers", 1.0, ranks=4, figure="cpu"),
    *(Target(transport, "peers", 1 / times, ranks=2, largest=5000, figure=figure)
      for transport in ("shared_memory", "tcp") for figure, times in (("late", 2.5), ("behind", 1.3))),
]
SHORTEST_US = 0.65  # 8 bytes over shared memory between 2 ranks: an allreduce takes less
SOFTWARE_US = 0.12  # and less than so much longer than the bare exchange of flags


def targets_for(transport, ranks, operation, buffers, figure="time"):
    return [t for t in TARGETS if t.transport == transport and t.ranks in (None, ranks) and operation in t.operations
            and t.buffers == buffers and t.figure == figure]


def met(estimate, least):
    """"At least" means that the upper end of the interval reaches it."""
    return estimate.high >= least


def kept(estimate, limit):
    """"Under" means that the lower end of the interval is."""
    return estimate.low < limit


@dataclasses.dataclass(frozen=True)
class Verdict:
    target: Target
    missed: dict  # size -> Estimate: those that fall short
    doubtful: dict  # size -> Estimate: those that meet it though their median falls short
    mean: object  # Estimate of the geometric mean; None where it is no target, or was not measured

    @property
    def mean_met(self):
        return self.target.mean is None or self.mean is None or met(self.mean, self.target.mean)

    @property
    def met(self):
        return not self.missed and self.mean_met


def judge(target, sizes, mean=None):
    """sizes: size -> Estimate; mean: Estimate of the geometric mean. None if none of the target's sizes was measured."""
    own = {size: e for size, e in sizes.items() if target.smallest <= amount(size) <= target.largest}
    if not own:
        return None
    missed = {size: e for size, e in own.items() if not met(e, target.every)}
    doubtful = {size: e for size, e in own.items() if size not in missed and e.median < target.every}
    return Verdict(target, missed, doubtful, mean)
