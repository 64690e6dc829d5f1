# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""How busy the machine was with other work than ours."""
import os
import pathlib
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def used_by_all(stat):
    """Seconds of processor time from /proc/stat: user, nice and system, not what interrupts take."""
    return sum(map(int, stat.split("\n", 1)[0].split()[1:4])) / TICKS_PER_S


def used_by_us():
    """Seconds, of this process and of all below it that have ended."""
    return sum(os.times()[:4])


class Witness:
    def __init__(self):
        self.begin = self.now()

    @staticmethod
    def now():
        return time.monotonic(), used_by_all(pathlib.Path("/proc/stat").read_text()), used_by_us()

    def others(self):
        """The cores that other work has used since, on average."""
        passed, everybody, we = (now - then for now, then in zip(self.now(), self.begin))
        return max(everybody - we, 0.0) / max(passed, 1 / TICKS_PER_S)
