#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a program of headers alone, none of whose sources has the network, is refused by the linker, which names what
is to be included.

usage: without_network.py ARCHIVE COMPILER...
"""
import os
import subprocess
import sys

NAME = "tutti_one_source_must_include_tutti_transport_network_hpp"
archive, *compiler = sys.argv[1:]
done = subprocess.run([*compiler, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-pthread", "-lssl", "-lcrypto", "-o",
                       os.devnull], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
sys.exit(0 if done.returncode != 0 and NAME in done.stdout else f"{done.stdout}\nthe linker does not name {NAME}")
