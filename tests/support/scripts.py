# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""What tests that are scripts share."""
import socket
import sys


def skip(sentence):
    """Ends the test as one that could not run here, and says so."""
    print(f"SKIPPED: {sentence}")
    sys.exit(77)


def free_port():
    """A port of 127.0.0.1 on which nothing listens now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
