# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""From the times of each round to ratios with intervals, and what the targets make of them. No input, no output."""
import dataclasses
import math
import statistics

CONFIDENCE = 0.9  # what an interval covers at least, where there are rounds enough


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A median with an interval that needs no assumption on the distribution."""
    median: float
    low: float
    high: float
    coverage: float  # the chance that such an interval holds the true median


def coverage_of(count, rank):
    """The chance that the true median lies between the rank-th smallest and the rank-th largest of count samples."""
    return 1 - 2 * sum(math.comb(count, i) for i in range(rank)) / 2 ** count


def estimate(values):
    """Between two order statistics: as near to the median as CONFIDENCE allows, else the smallest and the largest."""
    ordered = sorted(values)
    rank = 1
    while 2 * (rank + 1) <= len(ordered) and coverage_of(len(ordered), rank + 1) >= CONFIDENCE:
        rank += 1
    return Estimate(statistics.median(ordered), ordered[rank - 1], ordered[-rank], coverage_of(len(ordered), rank))


def known(values):
    return [value for value in values if value is not None]


def middle(values):
    """The median over all rounds, where a round without a result took for ever; infinite if most of them have none."""
    return statistics.median([math.inf if value is None else value for value in values])


def best_of(times):
    """Of contestants with the times of all rounds, the one with the least median; None if nobody has a finite one."""
    medians = {name: middle(values) for name, values in times.items() if values}
    return min((name for name in medians if medians[name] < math.inf), key=medians.get, default=None)


def ratios(theirs, ours):
    """Round by round, their time over ours: above 1 is faster. None where one of them has no result."""
    return [t / o if t is not None and o is not None else None for t, o in zip(theirs, ours)]


def differences(ours, theirs):
    """Round by round, how much more ours is, in the rounds in which both have a result."""
    return [o - t for o, t in zip(ours, theirs) if o is not None and t is not None]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Of one contestant with the best of a group of others, at each size."""
    best: dict  # size -> name
    rounds: dict  # size -> the ratio of each round
    sizes: dict  # size -> Estimate

    def mean(self, wanted=lambda size: True):
        """The geometric mean over the wanted sizes: an estimate from the rounds in which every one of them has a ratio."""
        chosen = [self.rounds[size] for size in self.rounds if wanted(size)]
        whole = [row for row in zip(*chosen) if None not in row]
        return estimate([geometric_mean(row) for row in whole]) if whole else None


def compare(times, ours, group):
    """times: size -> name -> the figure of each round. The best of the group is chosen at each size, by its median."""
    best, rounds, sizes = {}, {}, {}
    for size, of_size in times.items():
        name = best_of({name: values for name, values in of_size.items() if name in group})
        if name is None or not known(of_size.get(ours, [])):
            continue
        per_round = ratios(of_size[name], of_size[ours])
        if known(per_round):
            best[size], rounds[size], sizes[size] = name, per_round, estimate(known(per_round))
    return Comparison(best, rounds, sizes)


def ratios_to(best, figures, ours):
    """Like compare, of other figures (processor time) with peers that are chosen already."""
    chosen = {size: known(ratios(figures[size][name], figures[size][ours])) for size, name in best.items()}
    return {size: estimate(values) for size, values in chosen.items() if values}
