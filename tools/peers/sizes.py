# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Bytes as `tutti bench` reads and people write them: 8, 64K, 1M."""
import re

UNITS = "KMG"


def parse_sizes(text):
    return sorted({parse_size(word) for word in text.split(",")})


def parse_size(word):
    found = re.fullmatch(rf"([1-9][0-9]*)([{UNITS}]?)", word)
    if not found:
        raise ValueError(f"'{word}' is no size: write it as in 8, 4K, 1M or 1G")
    return int(found.group(1)) << 10 * (UNITS.find(found.group(2) or "-") + 1)


def short(size):
    power = max((p for p in range(len(UNITS) + 1) if size % (1 << 10 * p) == 0 and size), default=0)
    return f"{size >> 10 * power}{UNITS[power - 1] if power else ''}"
