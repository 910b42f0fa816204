#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The runner of the tests reports what happened: jobs that fail, are skipped, or cannot start."""

import contextlib
import ctypes
import io
import os
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import main  # pylint: disable=wrong-import-position
import plan
import trees
from jobs import FAILED, NOT_RUN, PASSED, SKIPPED, Job
from pool import Pool
from report import Report
from times import Times
from unchanged import Unchanged


def shell(name, script, **more):
    return Job(name, ["sh", "-c", script], **more)


class Case(unittest.TestCase):
    """Each runs in an empty directory."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="docad-runner.")
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(place.name)
        os.mkdir("build")

    def report(self, jobs, again=False):
        """Runs jobs as main does. Returns the report and what it printed."""
        times, text = Times(), io.StringIO()
        with contextlib.redirect_stdout(text):
            report = Report(jobs, times, None)
            main.run_jobs(jobs, times, report)
            if again:
                main.run_again(times, report)
        return report, text.getvalue()

    def statuses(self, *jobs):
        report, _ = self.report(list(jobs))
        return {name: outcome.status for name, outcome in report.outcomes.items()}

    def summary(self, jobs, strict=False, may_skip=lambda name: False):
        report, text = self.report(jobs), io.StringIO()
        with contextlib.redirect_stdout(text):
            failed = report[0].summary([], strict, may_skip)
        return failed, text.getvalue()


class PoolCase(Case):
    def test_outcomes(self):
        ended = self.statuses(shell("good", "exit 0"), shell("bad", "exit 3"),
                              shell("skipped", "echo SKIPPED: no card; exit 77"))
        self.assertEqual(ended, {"good": PASSED, "bad": FAILED, "skipped": SKIPPED})

    def test_a_build_cannot_skip_itself(self):
        self.assertEqual(self.statuses(shell("build", "exit 77", is_test=False)), {"build": FAILED})

    def test_what_needs_a_failed_job_does_not_run(self):
        ended = self.statuses(shell("bad", "exit 1"), shell("second", "touch ran", needs={"bad"}),
                              shell("third", "touch ran", needs={"second"}))
        self.assertEqual(ended, {"bad": FAILED, "second": NOT_RUN, "third": NOT_RUN})
        self.assertFalse(os.path.exists("ran"))

    def test_a_skipped_job_is_no_failure_of_those_that_need_it(self):
        ended = self.statuses(shell("skipped", "exit 77"), shell("other", "exit 0", needs={"skipped"}))
        self.assertEqual(ended["other"], PASSED)

    def test_order(self):
        self.statuses(shell("last", "echo last >>order", after={"middle"}),
                      shell("middle", "echo middle >>order", needs={"first"}),
                      shell("first", "echo first >>order"))
        with open("order", encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["first", "middle", "last"])

    def test_timeout_ends_the_whole_group(self):
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: its child becomes ours
        script = "sleep 1000 & echo $! >pid; wait"
        report, _ = self.report([shell("late", script, timeout=1)])
        self.assertEqual(report.outcomes["late"].status, FAILED)
        self.assertIn("timeout", report.outcomes["late"].reason)
        with open("pid", encoding="utf-8") as file:
            _, status = os.waitpid(int(file.read()), 0)
        self.assertEqual(os.WTERMSIG(status), signal.SIGKILL)

    def test_resource_is_not_used_twice(self):
        script = "mkdir held || exit 1; sleep 0.01; rmdir held"
        ended = self.statuses(*(shell(f"job{n}", script, resources={"lock port": 1}) for n in range(6)))
        self.assertEqual(set(ended.values()), {PASSED})

    def test_alone(self):
        script = "mkdir held || exit 1; sleep 0.01; rmdir held"
        ended = self.statuses(*(shell(f"job{n}", script, alone=True) for n in range(3)))
        self.assertEqual(set(ended.values()), {PASSED})

    def test_jobs_that_wait_for_each_other_are_an_error(self):
        with self.assertRaises(RecursionError):
            self.statuses(shell("a", "true", needs={"b"}), shell("b", "true", needs={"a"}))

    def test_environment_and_directory(self):
        os.mkdir("place")
        self.statuses(shell("job", 'echo "$WORD" >word', directory="place", environment={"WORD": "x"}))
        self.assertTrue(os.path.exists("place/word"))


class UnchangedCase(Case):
    def run_test(self, used, **more):
        """Runs a unit test that writes a line. Returns its outcome, and how often it has run."""
        job = Job("check:unit.a", ["./program"], labels={"unit"}, target="unit_a", **more)
        known = Unchanged(used)
        with contextlib.redirect_stdout(io.StringIO()):
            report = Report([job], Times(), None)
            main.run_jobs([job], Times(), report, known)
        known.save()
        with open("ran", encoding="utf-8") as file:
            return report.outcomes[job.name], len(file.readlines())

    def program(self, text):
        with open("program", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho ran >>ran; {text}\n")
        os.chmod("program", 0o755)

    def test_a_program_that_has_passed_does_not_run_again(self):
        self.program("exit 0")
        outcome, ran = self.run_test(True)
        self.assertEqual((outcome.status, outcome.earlier, ran), (PASSED, False, 1))
        outcome, ran = self.run_test(True)
        self.assertEqual((outcome.status, outcome.earlier, ran), (PASSED, True, 1))
        outcome, ran = self.run_test(False)
        self.assertEqual((outcome.status, outcome.earlier, ran), (PASSED, False, 2))

    def test_what_has_changed_runs(self):
        self.program("exit 0")
        self.run_test(True)
        self.program("exit 0 # built again")
        self.assertEqual(self.run_test(True)[1], 2)
        self.assertEqual(self.run_test(True, environment={"CK_VERBOSITY": "verbose"})[1], 3)

    def test_what_has_failed_runs(self):
        self.program("[ ! -e fails ]")
        self.run_test(True)
        with open("fails", "w", encoding="utf-8"):
            pass
        self.assertEqual(self.run_test(False)[0].status, FAILED)
        outcome, ran = self.run_test(True)
        self.assertEqual((outcome.status, ran), (FAILED, 3))

    def test_other_tests_run_always(self):
        job = shell("check:integration.a", "echo ran >>ran", labels={"integration"}, target="integration_a")
        for _ in range(2):
            main.run_jobs([job], Times(), Report([job], Times(), None), Unchanged(True))
        with open("ran", encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 2)


class SummaryCase(Case):
    def test_last_line_counts(self):
        failed, text = self.summary([shell("a", "true"), shell("b", "exit 1"), shell("c", "exit 77"),
                                     shell("d", "true", needs={"b"})])
        self.assertEqual(failed, 2)
        self.assertEqual(text.splitlines()[-1], "1 passed, 2 failed, 1 skipped")
        self.assertIn("FAILED: d (b failed)", text)

    def test_skipped_says_why(self):
        _, text = self.summary([shell("a", "echo SKIPPED: no card; exit 77")])
        self.assertIn("SKIPPED: a: no card", text)

    def test_strict(self):
        jobs = [shell("a", "exit 77"), shell("b", "exit 77")]
        failed, text = self.summary(jobs, strict=True, may_skip=lambda name: name == "b")
        self.assertEqual(failed, 1)
        self.assertEqual(text.splitlines()[-1], "0 passed, 1 failed, 1 skipped")

    def test_failure_shows_the_log(self):
        _, text = self.report([shell("a", "echo the cause; exit 1")])
        self.assertIn("| the cause", text)

    def test_unsteady(self):
        report, _ = self.report([shell("a", "[ -e second ] || { touch second; exit 1; }")], again=True)
        self.assertEqual(report.outcomes["a"].status, PASSED)
        self.assertTrue(report.outcomes["a"].unsteady)

    def test_a_sanitizers_report_is_no_unsteady_test(self):
        script = "[ -e second ] || { touch second; echo 'WARNING: ThreadSanitizer: data race'; exit 1; }"
        report, _ = self.report([shell("a", script)], again=True)
        self.assertEqual(report.outcomes["a"].status, FAILED)

    def test_the_first_log_stays(self):
        script = "[ -e second ] || { touch second; echo the first time; exit 1; }"
        report, _ = self.report([shell("a", script)], again=True)
        with open(report.outcomes["a"].log + ".first", encoding="utf-8") as file:
            self.assertEqual(file.read(), "the first time\n")

    def test_fails_twice(self):
        report, _ = self.report([shell("a", "exit 1")], again=True)
        self.assertEqual(report.outcomes["a"].status, FAILED)


class PlanCase(unittest.TestCase):
    def job(self, name, *labels):
        return Job(name, ["true"], labels=set(labels))

    def test_quick_leaves_out_what_is_slow(self):
        self.assertTrue(plan.is_chosen("quick", "check", self.job("check:unit.a", "unit")))
        self.assertTrue(plan.is_chosen("quick", "check", self.job("check:integration.a", "integration")))
        self.assertFalse(plan.is_chosen("quick", "check", self.job("check:integration.b", "integration", "slow")))
        self.assertFalse(plan.is_chosen("quick", "check", self.job("check:tools.a", "tools")))

    def test_each_test_is_in_the_full_run(self):
        for labels in (["unit"], ["integration", "slow"], ["tools"], ["vm"]):
            self.assertTrue(plan.is_chosen("full", "check", self.job("check:a", *labels)))
        self.assertTrue(plan.is_chosen("full", "release", self.job("release:a", "integration", "unsanitized")))
        self.assertTrue(plan.is_chosen("full", "release", self.job("release:a", "vm")))
        self.assertFalse(plan.is_chosen("full", "release", self.job("release:a", "unit")))

    def test_fixtures_come_along(self):
        jobs = [self.job("t:set-up"), self.job("t:test"), self.job("t:other"), self.job("t:clean-up")]
        properties = {"set-up": {"FIXTURES_SETUP": ["f"]}, "test": {"FIXTURES_REQUIRED": ["f"]}, "other": {},
                      "clean-up": {"FIXTURES_CLEANUP": ["f"]}}
        trees.add_fixtures("t", jobs, properties)
        names = {job.name for job in trees.add_needed([jobs[1]], jobs)}
        self.assertEqual(names, {"t:set-up", "t:test", "t:clean-up"})

    def test_options(self):
        for wrong in (["--full", "--nightly"], ["-R", "("], ["--may-skip", "a"], ["--quick"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                main.parse(wrong)
        self.assertEqual(main.parse([]).mode, "quick")
        self.assertEqual(main.parse(["--full", "-R", "x"]).pattern, "x")


if __name__ == "__main__":
    unittest.main()
