"""CORPUS: files, directories, globs and lists, several at once."""
import os
import unittest

import tokmill
from formats import read
from tokmill import EOT

NAMES = ["a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "with space.txt", "naïve 我.txt", "[x].txt",
         "star*.txt", "-dash.txt", "@at.txt", "new\nline.txt"]


class Inputs(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.tokenizer = self.bytes_tokenizer(EOT)

    def text_of(self, *corpus, **how):
        """The text of the corpus in the order that it was taken, each file with a separator behind it."""
        return self.decode(self.encode(*corpus, tokenizer=self.tokenizer, **how))

    def expected(self, *names):
        return b"".join(read(self.at(f"corpus/{name}")) + EOT.encode() for name in names)

    def put_all(self):
        for i, name in enumerate(NAMES):
            self.put(f"corpus/{name}", f"text {i} of {name}\n")
        return [self.at(f"corpus/{name}") for name in NAMES]

    def test_files(self):
        paths = self.put_all()
        for path, name in zip(paths, NAMES):
            self.assertEqual(self.text_of(path), self.expected(name))
        self.assertEqual(self.text_of(*paths), self.expected(*NAMES))
        self.assertEqual(self.text_of(*paths[::-1]), self.expected(*NAMES[::-1]))
        self.assertEqual(self.text_of(paths[0], paths[0]), self.expected("a.txt", "a.txt"))
        self.assertEqual(self.text_of("./-dash.txt", cwd=self.at("corpus")), self.expected("-dash.txt"))
        self.assertEqual(self.text_of("./@at.txt", cwd=self.at("corpus")), self.expected("@at.txt"))

    def test_directory(self):
        self.put_all()
        want = self.expected(*sorted(NAMES, key=lambda name: self.at(f"corpus/{name}").encode()))
        self.assertEqual(self.text_of(self.at("corpus")), want)
        self.assertEqual(self.text_of(self.at("corpus") + "/"), want)
        self.assertEqual(self.text_of(".", cwd=self.at("corpus")), want)
        self.assertEqual(self.text_of(self.at("corpus/sub")), self.expected("sub/c.txt", "sub/deep/d.txt"))

    def test_links(self):
        self.put("real/x.txt", "x")
        self.put("corpus/.keep", "")
        os.symlink(self.at("real"), self.at("corpus/linked"))
        os.symlink(self.at("real/x.txt"), self.at("corpus/y.txt"))
        self.assertEqual(self.text_of(self.at("corpus")), ("x" + EOT).encode() * 2)
        os.symlink(self.at("nowhere"), self.at("corpus/broken"))
        self.assertEqual(self.text_of(self.at("corpus")), ("x" + EOT).encode() * 2)

    def test_globs(self):
        self.put_all()
        corpus = self.at("corpus")
        self.assertEqual(self.text_of(corpus + "/[ab].txt"), self.expected("a.txt", "b.txt"))
        self.assertEqual(self.text_of(corpus + "/?.txt", corpus + "/sub/*.txt"),
                         self.expected("a.txt", "b.txt", "sub/c.txt"))
        self.assertEqual(self.text_of(corpus + "/su*"), self.expected("sub/c.txt", "sub/deep/d.txt"))
        self.assertEqual(self.text_of(corpus + "/*space*"), self.expected("with space.txt"))
        # A file that bears the pattern's own name is that file.
        self.assertEqual(self.text_of(corpus + "/star*.txt"), self.expected("star*.txt"))

    def test_lists(self):
        paths = self.put_all()
        listed = [path for path in paths if "\n" not in path]
        names = [name for name in NAMES if "\n" not in name]
        for text in ("\n".join(listed), "\n".join(listed) + "\n", "\r\n".join(listed) + "\r\n",
                     "\n\n".join(listed)):
            self.assertEqual(self.text_of("@" + self.put("list.txt", text)), self.expected(*names))
        inner = self.put("inner.txt", f"{paths[1]}\n{self.at('corpus/sub')}\n")
        outer = self.put("outer.txt", f"{paths[0]}\n@{inner}\n{self.at('corpus')}/with*\n")
        self.assertEqual(self.text_of("@" + outer, paths[0]),
                         self.expected("a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "with space.txt",
                                       "a.txt"))

    def test_options_among_operands(self):
        paths = self.put_all()[:2]
        path = self.at("out")
        self.tokmill("encode", paths[0], "--quiet", paths[1], "--tokenizer=" + self.tokenizer, "-o" + path)
        self.assertEqual(self.decode(path), self.expected("a.txt", "b.txt"))
        self.tokmill("verify", path, "--against", *paths, "--quiet")

    def test_thousands_of_small_files(self):
        """They lie together in few shards, and cost no more than one large file."""
        count = 5000
        for i in range(count):
            self.put(f"many/{i // 100:03}/{i:05}.txt", f"file {i} " * (i % 7))
        shards = self.encode(self.at("many"), "-j", 2, tokenizer=self.tokenizer)
        self.assertEqual(len(shards.names), 1)
        self.assertEqual(len(shards.ends), sum(1 for i in range(count) if i % 7))
        want = "".join(f"file {i} " * (i % 7) + EOT * (i % 7 > 0) for i in range(count)).encode()
        self.assertEqual(self.decode(shards), want)
        self.tokmill("verify", shards.path, "--against", self.at("many"))
        several = self.encode(self.at("many"), "-j", 2, "--shard-size", "20K", tokenizer=self.tokenizer)
        self.assertEqual(several.ids, shards.ids)
        self.assertTrue(3 < len(several.names) < 20)
        self.assertEqual(self.train(self.at("many"), vocabulary=290).tables(),
                         self.train(self.at("many"), "-j", 1, "--shard-size", "1K", vocabulary=290).tables())

    def test_many_files_and_a_large_one(self):
        """A range may end one file, hold others, and begin the next."""
        sizes = [0, 1, 50, 200, 0, 0, 7, 500, 1, 1]
        for i, size in enumerate(sizes):
            self.put(f"mixed/{i}.txt", (f"word{i} " * size)[:size])
        whole = self.encode(self.at("mixed"), tokenizer=self.tokenizer)
        for size in (1, 2, 10, 57, 250, 600):
            shards = self.encode(self.at("mixed"), "--shard-size", size, tokenizer=self.tokenizer)
            self.assertEqual((shards.ids, shards.ends), (whole.ids, whole.ends), size)
            for shard in shards.manifest["shards"]:
                self.assertTrue(shard["sources"], "a shard of nothing")
            self.tokmill("verify", shards.path, "--against", self.at("mixed"))

    def test_nothing_but_empty_files(self):
        self.put("empty/a", "")
        self.put("empty/b", "")
        shards = self.encode(self.at("empty"), tokenizer=self.tokenizer)
        self.assertEqual((shards.ids, shards.ends, shards.manifest["documents"]), ([], [], 0))
        self.tokmill("verify", shards.path, "--against", self.at("empty"))
        self.assertEqual(self.decode(shards), b"")
        self.assertEqual(self.train(self.at("empty"), vocabulary=300).merges, [])

    def test_sizes_around_a_page(self):
        """A mapping whose file ends with its last page has nothing readable behind it."""
        for size in (1, 4095, 4096, 4097, 8192, 65536, 65537):
            text = (b"word " * size)[:size]
            shards = self.encode(self.put("text.txt", text), "--eot", "none", tokenizer=self.tokenizer)
            self.assertEqual(self.decode(shards), text)
            self.assertEqual(len(shards.ids), size)


if __name__ == "__main__":
    unittest.main()
