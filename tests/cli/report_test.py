"""Reports on standard output, progress on standard error."""
import json
import os
import pty
import unittest

import formats
import models
import texts
import tokmill
from tokmill import EOT


class Reports(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = texts.prose(self.rng, 400_000)
        self.corpus = self.put("corpus.txt", self.text)
        self.tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=400).path
        self.shards = self.encode(self.corpus, tokenizer=self.tokenizer).path
        self.table = self.at("counts.table")
        self.tokmill("count", self.corpus, "--special", EOT, "-o", self.table)

    def commands(self):
        """{verb: (command, what its report must hold, its stages)}"""
        speed = {"seconds", "mb_per_second", "peak_memory"}
        counted = {"bytes", "documents", "pretokens", "distinct_pretokens"} | speed
        encoded = {"bytes", "documents", "tokens", "bytes_per_token", "shards"} | speed
        corpus = (self.corpus, "--special", EOT)
        return {
            "train": (("train", *corpus, "--vocab-size", 400, "-o", self.new("out")), counted | {"merges"},
                      ["count", "merge", "train"]),
            "train on tables": (("train", "--counts", self.table, "--vocab-size", 400, "-o", self.new("out")),
                                counted, ["merge", "train"]),
            "count": (("count", *corpus, "-o", self.new("out")), counted | {"output_bytes"},
                      ["count", "merge"]),
            "merge": (("merge", self.table, self.table, "-o", self.new("out")), counted, ["merge"]),
            "encode": (("encode", self.corpus, "--tokenizer", self.tokenizer, "-o", self.new("out")),
                       encoded | {"pretokens", "output_bytes"}, ["encode"]),
            "dry run": (("encode", self.corpus, "--tokenizer", self.tokenizer, "--dry-run"),
                        encoded | {"pretokens"}, ["encode"]),
            "verify": (("verify", self.shards, "--against", self.corpus), encoded, ["verify"]),
        }

    def test_json(self):
        words = models.words(self.text, [EOT])
        tokens = len(formats.Shards(self.shards).ids)
        documents = len(models.documents([self.text], EOT.encode(), "append", [EOT]))
        for name, (command, keys, stages) in self.commands().items():
            with self.subTest(name):
                report = self.report(*command)
                self.assertLessEqual(keys, set(report))
                self.assertEqual(list(report["stage_seconds"]), stages)
                self.assertLessEqual(set(report["stage_peak_memory"]), set(stages))
                self.assertEqual(report["peak_memory"], max(report["stage_peak_memory"].values()))
                if "train" in stages:
                    parts = ["words", "index", "merge_loop", "write"]
                    self.assertEqual(list(report["train_seconds"]), parts)
                    self.assertEqual(list(report["train_peak_memory"]), parts)
                    self.assertLess(sum(report["train_seconds"].values()), report["stage_seconds"]["train"])
                    self.assertEqual(set(report["trainer_memory"]), {"words", "positions", "pairs", "queue"})
                    self.assertGreaterEqual(report["windows"], 1)
                self.assertAlmostEqual(report["seconds"], sum(report["stage_seconds"].values()), places=6)
                times = 2 if name == "merge" else 1
                want = {"verb": name.split()[0] if name != "dry run" else "encode",
                        "bytes": times * len(self.text), "documents": times * documents,
                        "pretokens": times * len(words), "distinct_pretokens": len(set(words)),
                        "tokens": tokens,
                        "bytes_per_token": len(self.text) / tokens, "already_done": False}
                for key in want.keys() & report.keys():
                    self.assertAlmostEqual(report[key], want[key], msg=key)
                self.assertGreater(report["peak_memory"], 100_000)
                self.assertLess(report["peak_memory"], 20_000_000_000)

    def test_for_people(self):
        for name, (command, _, _) in self.commands().items():
            outcome = self.tokmill(*command, "--progress", "none")
            self.assertEqual(outcome.stderr, "")
            self.assertTrue(outcome.stdout.decode().startswith(str(command[0]) + ": "), name)
            result = {"dry run": "dry run", "verify": "is sound"}.get(name) or command[command.index("-o") + 1]
            self.assertIn(result, outcome.stdout.decode())
            if command[0] == "train":
                self.assertRegex(outcome.stdout.decode(),
                                 r", train [\d.]+ s \(words [\d.]+ s, index [\d.]+ s, merge_loop [\d.]+ s, "
                                 r"write [\d.]+ s\), ")

    def test_quiet(self):
        for name, (command, _, _) in self.commands().items():
            outcome = self.tokmill(*command, "--quiet")
            self.assertEqual((outcome.stdout, outcome.stderr), (b"", ""), name)

    def test_progress_as_json(self):
        for name, (command, _, stages) in self.commands().items():
            outcome = self.tokmill(*command, "--progress", "json", "--json")
            lines = [json.loads(line) for line in outcome.stderr.splitlines()]
            for line in lines:
                self.assertEqual(set(line), {"stage", "unit", "done", "total", "seconds", "seconds_left",
                                             "finished"})
            finished = [line["stage"] for line in lines if line["finished"]]
            self.assertLessEqual(set(finished), set(stages), name)
            self.assertTrue(finished, name)
            for line in lines:
                if line["finished"] and line["unit"] == "B" and line["stage"] in ("count", "encode",
                                                                                  "verify"):
                    self.assertEqual((line["done"], line["total"]), (len(self.text), len(self.text)))
            json.loads(outcome.stdout)

    def test_progress_in_plain_lines(self):
        for how in ("plain", "auto"):
            for name, (command, _, _) in self.commands().items():
                said = self.tokmill(*command, "--progress", how).stderr
                self.assertRegex(said, r"\A(\w+ +\d+%  [^\n]+\n)+\Z", name)
                self.assertNotIn("\r", said)

    def test_bar_on_a_terminal(self):
        try:
            leader, follower = pty.openpty()
        except OSError as error:  # a bare tree may have no /dev/pts
            self.skipTest(f"no terminal can be made: {error}")
        self.tokmill(*self.commands()["encode"][0], stderr=follower)
        os.close(follower)
        said = os.read(leader, 100_000).decode()
        os.close(leader)
        self.assertRegex(said, r"\r\[#+\.*\] encode +100%")
        said = self.tokmill(*self.commands()["encode"][0], "--progress", "bar").stderr
        self.assertRegex(said, r"\r\[#{30}\] encode +100%[^\n]*\n\Z")

    def test_of_a_finished_run(self):
        command = self.commands()["encode"][0]
        first, again = self.report(*command), self.report(*command)
        self.assertEqual((first["already_done"], again["already_done"]), (False, True))
        for key in ("bytes", "documents", "pretokens", "tokens", "shards", "output_bytes"):
            self.assertEqual(first[key], again[key])


if __name__ == "__main__":
    unittest.main()
