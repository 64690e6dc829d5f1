#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the API reference is whole: Doxygen warns of nothing, each public name has a description, each example is
one of the tests, and what a program may name is there and can be searched. Skipped (77), loudly, without Doxygen.

usage: reference.py TOOLS_REFERENCE FOLDER
"""
import pathlib
import subprocess
import sys
import unittest

NAMES = ("communicator", "invitation", "request", "prepared", "message_group", "displaced", "fault", "runtime_call",
         "algorithm::ring", "algorithm::hierarchical", "schedule::step", "model::costs", "engine::executor",
         "transport::world", "transport::transfer", "transport::bootstrap::member", "kernels::momentum_sgd")


class Reference(unittest.TestCase):
    def page_of(self, name):
        written = ("tutti::" + name).replace("_", "__").replace("::", "_1_1")
        pages = [folder / f"{kind}{written}.html" for kind in ("class", "struct")]
        found = [page for page in pages if page.exists()]
        self.assertEqual(len(found), 1, f"a page of tutti::{name}")
        return found[0].read_text()

    def test_nothing_is_to_mend(self):
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_a_program_may_name_is_there(self):
        for name in NAMES:
            self.page_of(name)
        self.assertTrue((folder / "concepttutti_1_1transport_1_1fabric.html").exists())

    def test_insides_are_not(self):
        self.assertEqual([page.name for page in folder.glob("*detail_1_1*.html")], [])

    def test_an_example_is_shown_as_it_is_tested(self):
        page = self.page_of("prepared")
        self.assertIn('<div class="line">', page)
        self.assertIn("plan.run();", page)
        self.assertNotIn('<div class="line">        ', page, "it is moved left")

    def test_it_can_be_searched(self):
        found = "".join(page.read_text() for page in (folder / "search").glob("all_*.js"))
        for name in NAMES:
            self.assertTrue(f"'{name.split('::')[-1]}'" in found, f"the search finds {name}")

    def test_members_of_algorithms_are_described_once_for_all(self):
        self.assertIn("from input to its shard of output", self.page_of("algorithm::ring"))


if __name__ == "__main__":
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    done = subprocess.run([tool, str(folder)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=110)
    if done.returncode == 77:
        print(done.stdout)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
