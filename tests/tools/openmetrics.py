# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""A strict reader of OpenMetrics 1.0 text: whatever it does not know is an error."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\S+)\Z")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*([eE][-+]?\d+)?|Inf|NaN)\Z")
SUFFIXES = {
    "gauge": ("",), "counter": ("_total", "_created"), "info": ("_info",), "unknown": ("",),
    "histogram": ("_bucket", "_count", "_sum", "_created"),
}


class Wrong(Exception):
    """What is wrong, and on which line."""


def need(condition, line, text):
    if not condition:
        raise Wrong(f"{text}: {line!r}")


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.help = name, None, None, None
        self.samples = []


def read_labels(text, line):
    labels = {}
    for pair in re.findall(LABEL, text or ""):
        key, value = pair.split("=", 1)
        need(key not in labels, line, "a label twice")
        labels[key] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value[1:-1])
    return labels


def check_histogram(family):
    """Each of those that differ in other labels than `le`."""
    series = {}
    for sample in family.samples:
        labels = tuple(sorted((k, v) for k, v in sample[1].items() if k != "le"))
        series.setdefault(labels, []).append(sample)
    need(series, family.name, "no bucket +Inf")
    for samples in series.values():
        check_series(family, samples)


def check_series(family, samples):
    buckets = [(float(s[1]["le"]), s[2]) for s in samples if s[0].endswith("_bucket")]
    need(buckets and buckets[-1][0] == float("inf"), family.name, "no bucket +Inf")
    need(buckets == sorted(buckets), family.name, "buckets out of order")
    counts = [count for _, count in buckets]
    need(counts == sorted(counts), family.name, "buckets do not add up")
    count = [s[2] for s in samples if s[0].endswith("_count")]
    need(count == [counts[-1]], family.name, "the count is not the last bucket's")
    need(any(s[0].endswith("_sum") for s in samples), family.name, "no sum")


def add_sample(family, line):
    match = SAMPLE.match(line)
    need(match, line, "no sample")
    name, labels, value = match[1], read_labels(match[2], line), match[3]
    need(NUMBER.match(value), line, "no number")
    need(family and family.type and any(name == family.name + s for s in SUFFIXES[family.type]),
         line, "a sample outside its family")
    value = float(value)
    if family.type in ("counter", "histogram"):
        need(value >= 0, line, "a counter below zero")
    if family.type == "info":
        need(value == 1, line, "an info is 1")
    need((name, labels) not in [(s[0], s[1]) for s in family.samples], line, "a sample twice")
    family.samples.append((name, labels, value))


def read_comment(families, family, line):
    match = re.match(rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)\Z", line)
    need(match, line, "no comment of OpenMetrics")
    kind, name, text = match.groups()
    if family is None or family.name != name:
        need(name not in families, line, "a family in two places")
        family = families[name] = Family(name)
    need(not family.samples, line, "metadata behind samples")
    need(getattr(family, kind.lower()) is None, line, "metadata twice")
    setattr(family, kind.lower(), text)
    if kind == "TYPE":
        need(text in SUFFIXES, line, "no type")
    if kind == "UNIT":
        need(name.endswith("_" + text), line, "the name does not end with the unit")
    return family


def parse(text):
    """The samples, {(name, ((label, text), ...)): value}. Raises Wrong."""
    need(text.endswith("# EOF\n"), text[-20:], "no # EOF at the end")
    families, family = {}, None
    for line in text[:-len("# EOF\n")].splitlines():
        need(line and line != "# EOF", line, "an empty line, or # EOF before the end")
        if line[0] == "#":
            family = read_comment(families, family, line)
        else:
            add_sample(family, line)
    for family in families.values():
        need(family.type and family.help, family.name, "no type or help")
        if family.type == "histogram":
            check_histogram(family)
    return {(name, tuple(sorted(labels.items()))): value
            for f in families.values() for name, labels, value in f.samples}


def finds_faults():
    """The reader refuses what is wrong."""
    head = "# TYPE a counter\n# HELP a b\n"
    wrong = [
        "", "a_total 1\n# EOF\n", head + "a_total 1\n", head + "a 1\n# EOF\n",
        head + "a_total -1\n# EOF\n", head + "a_total 1\na_total 1\n# EOF\n",
        head + "a_total{b=c} 1\n# EOF\n", head + "a_total{b=\"\\x\"} 1\n# EOF\n",
        head + "a_total x\n# EOF\n", head + "\n# EOF\n", head + "# EOF\n# EOF\n",
        head + "# UNIT a seconds\n# EOF\n", "# TYPE a b\n# HELP a b\n# EOF\n",
        head + "# TYPE b gauge\n# HELP b b\nb 1\n" + head + "# EOF\n",
        "# TYPE h histogram\n# HELP h h\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\n"
        "h_count 1\nh_sum 1\n# EOF\n",
    ]
    for text in wrong:
        try:
            parse(text)
        except Wrong:
            continue
        raise SystemExit(f"not refused: {text!r}")
    assert parse(head + "a_total{b=\"c\\\"\\\\\"} 1.5\n# EOF\n") == {
        ("a_total", (("b", "c\"\\"),)): 1.5}
