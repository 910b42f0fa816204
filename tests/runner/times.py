# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""How long each job took when it ran last, in seconds; kept in build/times.json."""

import json
import os

FILE = "build/times.json"
# Of a job that has not run here and has no COST: most tests take a second or two.
UNKNOWN = 2.0


class Times:
    """`seconds` has jobs by name, and runs by "run MODE"."""

    def __init__(self):
        self.seconds = {}
        try:
            with open(FILE, encoding="utf-8") as file:
                self.seconds = {str(name): float(taken) for name, taken in json.load(file).items()}
        except (OSError, ValueError, AttributeError):
            pass

    def of(self, job):
        return self.seconds.get(job.name, job.cost or UNKNOWN)

    def add(self, name, seconds):
        self.seconds[name] = round(seconds, 2)

    def save(self):
        os.makedirs(os.path.dirname(FILE), exist_ok=True)
        with open(FILE + ".new", "w", encoding="utf-8") as file:
            json.dump(self.seconds, file, indent=0, sort_keys=True)
        os.replace(FILE + ".new", FILE)
