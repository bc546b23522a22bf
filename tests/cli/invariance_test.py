"""The same bytes whatever the number of workers, the memory and, but for the shards themselves, the shard size."""
import itertools
import os
import shutil
import unittest

import formats
import texts
import tokmill
from formats import read
from tokmill import EOT


class Invariance(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = texts.prose(self.rng, 3_000_000)
        self.corpus = self.put("corpus.txt", self.text)

    WAYS = [("-j", 1), ("-j", 2), ("-j", 5), ("-j", 2, "--shard-size", "64K"),
            ("-j", 5, "--shard-size", "1M"),
            ("-j", 1, "--shard-size", "64M"), ("-j", 2, "-S", "64M"), ("-j", 2, "-S", "80%"),
            ("-j", 3, "--shard-size", "100001")]

    def test_tokenizers(self):
        for special in ((), ("--special", EOT)):
            want = None
            for way in self.WAYS:
                tables = self.train(self.corpus, *special, *way, vocabulary=1500).tables()
                self.assertEqual(len(tables), 5)
                want = want or tables
                self.assertEqual(tables, want, way)

    def test_tables(self):
        for pattern in ("gpt2", "whitespace", "none"):
            want = None
            for way in self.WAYS:
                table = self.new("table")
                self.tokmill("count", self.corpus, "--special", EOT, "--pattern", pattern, *way, "-o", table)
                want = want or read(table)
                self.assertEqual(read(table), want, f"{pattern} {way}")

    def test_tables_that_are_written_early(self):
        """Many distinct pretokens in little memory: the counts are spilled and added."""
        text = b" ".join(b"%x" % (i * 2654435761 % 2**32) for i in range(400_000))
        corpus = self.put("words.txt", text * 2)
        tables = []
        for way in (("-S", "100%"), ("-S", "32M", "-j", 1, "--shard-size", "300K"),
                    ("-S", "80M", "-j", 3, "--shard-size", "200K")):
            tables.append(self.new("table"))
            self.tokmill("count", corpus, *way, "-o", tables[-1])
        self.assertEqual(read(tables[1]), read(tables[0]))
        self.assertEqual(read(tables[2]), read(tables[0]))

    def test_shards(self):
        tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=1500)
        ids = None
        for size in ("64K", "1M", "64M"):
            files = None
            for jobs in (1, 2, 5):
                shards = self.encode(self.corpus, "--shard-size", size, "-j", jobs, tokenizer=tokenizer)
                got = formats.files_of(shards.path)
                files = files or got
                self.assertEqual(list(got), list(files)) if set(got) != set(files) else None
                for name, data in files.items():
                    self.assertEqual(got[name], data, f"{name} differs with {size}, {jobs} workers")
            ids = ids or (shards.ids, shards.ends)
            self.assertEqual((shards.ids, shards.ends), ids, f"ids differ with {size}")

    def test_instruction_sets(self):
        """Whatever vectors the processor has; the twin of them all is scalar."""
        scripts = ["Ελληνικά και ", "русский текст, ", "اللغة العربية ", "汉字（標點）　", "ひらがな カタカナ", "한국어 ",
                   "naïve café ", "😀 emoji ", "\u00a0\u2028\u3000 ", "१२३ ", "it's we'll "]
        text = self.text[:500_000] + "".join(self.rng.choices(scripts, k=50_000)).encode() + EOT.encode()
        damaged = bytearray(text[500_000:])
        for _ in range(2_000):
            damaged[self.rng.randrange(len(damaged))] = self.rng.randrange(256)
        corpus = self.put("scripts.txt", text + bytes(damaged))
        tokenizer = self.train(corpus, "--special", EOT, vocabulary=2000)
        names = self.fails("--version", code=2, env={**os.environ, "TOKMILL_INSTRUCTIONS": "none"})
        names = names.strip().rsplit("this processor has ", 1)[1].split(", ")
        self.assertIn("scalar", names)
        want = None
        for name in names:
            env = {**os.environ, "TOKMILL_INSTRUCTIONS": name}
            self.assertIn(f"instructions {name}\n", self.tokmill("--version", env=env).stdout.decode() + "\n")
            table, shards = self.new("table"), self.new("shards")
            self.tokmill("count", corpus, "--special", EOT, "-o", table, env=env)
            self.tokmill("encode", corpus, "--tokenizer", tokenizer.path, "-o", shards, env=env)
            got = read(table), formats.files_of(shards)
            want = want or got
            self.assertEqual(got, want, name)

    def test_shards_that_are_encoded_in_parts(self):
        """A corpus of few shards: each is made of parts, whoever encodes them, and is one array all the same."""
        corpus = self.put("larger.txt", self.text * 8)
        tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=1500)
        whole = self.encode(corpus, "--shard-size", "1M", tokenizer=tokenizer)
        for how in (("--format", "zst"), ("--format", "bin"), ("--shard-size", "20M", "--eot", "prepend"),
                    ("--eot", "none")):
            files = None
            for jobs in (1, 3):
                shards = self.encode(corpus, *how, "-j", jobs, tokenizer=tokenizer)
                files = files or formats.files_of(shards.path)
                self.assertEqual(formats.files_of(shards.path), files, f"{how}, {jobs} workers")
                self.assertFalse(os.path.exists(shards.path + "/.run"))
            manifest = shards.manifest
            parts = [len(shard["parts"]) for shard in manifest["shards"]]
            self.assertTrue(all(number > 1 for number in parts), parts)
            if len(parts) == 1:
                self.assertEqual(manifest["shards"][0]["sources"], [[0, 0, os.path.getsize(corpus), 0]])
            if "--eot" not in how:
                self.assertEqual((shards.ids, shards.ends), (whole.ids, whole.ends), how)
            self.tokmill("verify", shards.path, "--against", corpus)
            self.assertEqual(self.tokmill("decode", shards.path, "--errors", "bytes").stdout.count(b"\n"),
                             (self.text * 8).count(b"\n"))

    def test_shards_of_which_others_encode_parts(self):
        """Three shards: one worker encodes all of each; more help each other at the end."""
        text = self.text * (52_000_000 // len(self.text) + 1)
        corpus = self.put("larger.txt", text)
        tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=1500)
        files = None
        for jobs in (1, 2, 5):
            shards = self.encode(corpus, "--shard-size", len(text) // 3 + 1, "-j", jobs, tokenizer=tokenizer)
            self.assertEqual([len(shard["parts"]) for shard in shards.manifest["shards"]], [2, 2, 2])
            files = files or formats.files_of(shards.path)
            self.assertEqual(formats.files_of(shards.path), files, f"{jobs} workers")

    def test_twice_the_same_bytes(self):
        first, second = (self.train(self.corpus, vocabulary=400) for _ in range(2))
        self.assertEqual(first.tables(), second.tables())
        first, second = (self.encode(self.corpus, "--eot", "none", tokenizer=first) for _ in range(2))
        self.assertEqual(formats.files_of(first.path), formats.files_of(second.path))

    def test_tmp_elsewhere(self):
        os.mkdir(self.at("scratch"))
        here = self.train(self.corpus, vocabulary=400)
        there = self.train(self.corpus, "-T", self.at("scratch"), vocabulary=400)
        self.assertEqual(there.tables(), here.tables())
        self.assertEqual(os.listdir(self.at("scratch")), [])


class Merge(tokmill.TestCase):
    def count(self, name, data, *options):
        table = self.new("table")
        self.tokmill("count", self.put(name, data), "--special", EOT, *options, "-o", table)
        return table

    def merge(self, *tables, **how):
        table = self.new("table")
        self.tokmill("merge", *tables, "-o", table, **how)
        return table

    def test_parts_add_up_to_the_whole(self):
        documents = texts.prose(self.rng, 500_000).split(EOT.encode())
        parts = [EOT.encode().join(documents[i::5]) + EOT.encode() for i in range(5)]
        for pattern in ("gpt2", "whitespace", "none"):
            whole = self.count("whole.txt", b"".join(parts), "--pattern", pattern)
            tables = [self.count(f"part{i}.txt", part, "--pattern", pattern) for i, part in enumerate(parts)]
            self.assertEqual(read(self.merge(*tables)), read(whole))
            self.assertEqual(read(self.merge(*tables[::-1])), read(whole))
            nested = self.merge(self.merge(tables[3], tables[0]), self.merge(*tables[1:3]), tables[4])
            self.assertEqual(read(nested), read(whole))
            from_parts = self.train("--counts", *tables, vocabulary=600)
            self.assertEqual(from_parts.tables(), self.train(self.at("whole.txt"), "--special", EOT,
                                                             "--pattern", pattern, vocabulary=600).tables())

    def test_small_tables(self):
        """Down to none and one pretoken in a partition."""
        for words in range(0, 40):
            half = " ".join(f"w{i}" for i in range(words)).encode()
            other = " ".join(f"w{i}" for i in range(0, words, 3)).encode()
            options = ("--pattern", "whitespace")
            both = self.count("both.txt", half + EOT.encode() + other, *options)
            merged = self.merge(self.count("a.txt", half + EOT.encode(), *options),
                                self.count("b.txt", other, *options))
            self.assertEqual(read(merged), read(both), words)

    def test_one_table_and_the_same_twice(self):
        table = self.count("text.txt", b"a b a" + EOT.encode())
        self.assertEqual(read(self.merge(table)), read(table))
        self.assertEqual(read(self.merge(table, table)),
                         read(self.count("twice.txt", (b"a b a" + EOT.encode()) * 2)))

    def test_tables_that_cannot_be_added(self):
        table = self.count("text.txt", b"a b")
        for other in (self.count("text.txt", b"a b", "--pattern", "none"),
                      self.count("text.txt", b"a b", "--special", "<x>")):
            for pair in itertools.permutations((table, other)):
                self.fails("merge", *pair, "-o", self.at("sum"), says="another pattern")
                self.fails("train", "--counts", *pair, "--vocab-size", 300, "-o", self.at("out"), says="")
        self.fails("merge", table, self.put("text.txt", "no table"), "-o", self.at("sum"), says="text.txt")
        self.assertFalse(os.path.exists(self.at("sum")))
        shutil.copy(table, self.at("sum"))
        self.tokmill("merge", table, "-o", self.at("sum"))


if __name__ == "__main__":
    unittest.main()
