# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Bytes and waits as `tutti bench` reads and people write them: 8, 64K, 1M; 300us, 1ms..20ms."""
import re

UNITS = "KMG"
US = {"us": 1, "ms": 1e3, "s": 1e6}


def parse_sizes(text):
    return sorted({parse_size(word) for word in text.split(",")})


def parse_size(word):
    found = re.fullmatch(rf"([1-9][0-9]*)([{UNITS}]?)", word)
    if not found:
        raise ValueError(f"'{word}' is no size: write it as in 8, 4K, 1M or 1G")
    return int(found.group(1)) << 10 * (UNITS.find(found.group(2) or "-") + 1)


def parse_wait(word):
    """The longest wait of an imbalance, in microseconds."""
    time = r"([0-9]+(?:\.[0-9]+)?)(us|ms|s)"
    found = re.fullmatch(rf"(?:{time}\.\.)?{time}", word)
    low, low_unit, high, high_unit = found.groups() if found else (None,) * 4
    if not found or low and float(low) * US[low_unit] > float(high) * US[high_unit]:
        raise ValueError(f"'{word}' is no wait: write it as in 300us, 5ms or 1ms..20ms")
    return float(high) * US[high_unit]


def amount(key):
    """Of what a row of a table is of: bytes, or the microseconds of a wait."""
    return parse_wait(key) if isinstance(key, str) else key


def label(key):
    return key if isinstance(key, str) else short(key)


def short(size):
    power = max((p for p in range(len(UNITS) + 1) if size % (1 << 10 * p) == 0 and size), default=0)
    return f"{size >> 10 * power}{UNITS[power - 1] if power else ''}"
