"""`inspect`: what lies at a path, for people, for programs and for browsers."""
import html.parser
import json
import unittest

import texts
import tokmill
from tokmill import EOT


class Page(html.parser.HTMLParser):
    """The text of a page, whose tags must match."""

    def __init__(self, page):
        super().__init__()
        self.open, self.words = [], []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        last = self.open.pop()
        assert tag == last, f"</{tag}> closes <{last}>"

    def handle_data(self, data):
        self.words.append(data)


class Inspect(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = texts.prose(self.rng, 60_000) + b"<b>&amp;</b> " * 500
        self.corpus = self.put("corpus.txt", self.text)
        self.tokenizer = self.train(self.corpus, "--special", EOT, "--special", "<p&q>", vocabulary=400)
        self.shards = self.encode(self.corpus, "--shard-size", "10K", tokenizer=self.tokenizer)
        self.table = self.at("counts.table")
        self.tokmill("count", self.corpus, "--special", EOT, "-o", self.table)

    def facts(self, path):
        """The JSON; the lines and the page must hold the same names and plain values."""
        facts = json.loads(self.tokmill("inspect", path, "--json").stdout)
        lines = self.tokmill("inspect", path).stdout.decode()
        page = "".join(Page(self.tokmill("inspect", path, "--html").stdout.decode()).words)
        for name, value in facts.items():
            for shown in (lines, page):
                self.assertIn(name, shown)
                if isinstance(value, (str, int)) and not isinstance(value, bool):
                    self.assertIn(str(value), shown)
        self.assertNotIn("\t", lines)
        return facts

    def test_table(self):
        facts = self.facts(self.table)
        self.assertEqual((facts["kind"], facts["pattern"], facts["specials"], facts["bytes"]),
                         ("count table", "gpt2", [EOT], len(self.text)))
        counts = [entry["count"] for entry in facts["most_frequent"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(len(counts), 20)
        self.assertLessEqual({"documents", "pretokens", "distinct", "unicode"}, set(facts))

    def test_counts_of_a_small_table(self):
        self.tokmill("count", self.put("small.txt", b"b a a a c c \xff"), "--pattern", "whitespace", "-o",
                     self.at("small"))
        facts = self.facts(self.at("small"))
        self.assertEqual([(entry["pretoken"], entry["count"]) for entry in facts["most_frequent"]],
                         [("a", 3), ("c", 2), ("b", 1), ("ÿ", 1)])
        self.assertEqual((facts["pretokens"], facts["distinct"]), (7, 4))

    def test_tokenizer(self):
        for path in (self.tokenizer.path, self.tokenizer.path + "/tokenizer.json"):
            facts = self.facts(path)
            self.assertEqual((facts["kind"], facts["vocabulary"], facts["pattern"]),
                             ("tokenizer", 400, "gpt2"))
            self.assertEqual(facts["specials"], {EOT: 0, "<p&q>": 1})
            self.assertEqual(facts["merges"], len(self.tokenizer.merges))
            for entry in facts["longest_tokens"]:
                self.assertEqual(self.tokenizer.vocabulary[entry["token"]], entry["id"])
        facts = self.facts(self.tokenizer.path)
        self.assertLessEqual({"stage_seconds", "stage_peak_memory", "train_seconds", "windows"},
                             set(facts["training"]))
        self.assertEqual((facts["options"]["vocab_size"], facts["options"]["tie_break"]), (400, "bytes"))

    def test_shards(self):
        facts = self.facts(self.shards.path)
        self.assertEqual((facts["kind"], facts["shards"], facts["dtype"]),
                         ("token shards", len(self.shards.names), "uint16"))
        self.assertEqual((facts["tokens"], facts["documents"], facts["text_bytes"]),
                         (len(self.shards.ids), len(self.shards.ends), len(self.text)))
        self.assertEqual([entry["name"] for entry in facts["list"]], self.shards.names)
        self.assertEqual((facts["separator"], facts["separator_rule"]), (EOT, "append"))

    def test_empty_results(self):
        empty = self.put("empty.txt", b"")
        self.tokmill("count", empty, "-o", self.at("empty.table"))
        self.assertEqual(self.facts(self.at("empty.table"))["most_frequent"], [])
        self.assertEqual(self.facts(self.encode(empty, tokenizer=self.tokenizer).path)["tokens"], 0)
        self.assertEqual(self.facts(self.train(empty).path)["merges"], 0)

    def test_what_is_none_of_these(self):
        for path in (self.corpus, self.directory, self.put("short", b"t"), self.put("none", b"")):
            self.fails("inspect", path, says=path)
            self.fails("verify", path, "--progress", "none", says=path)


if __name__ == "__main__":
    unittest.main()
