"""One giant document without special tokens is cut all the same, and nothing changes by it."""
import unittest

import tokmill
from formats import read
from tokmill import scaled

# Alphabets, and whether a text of them must be cut. Only ASCII white space is looked at for that: a text without
# any is worked on whole, though the pattern has other places where it always splits.
ALPHABETS = {
    "words": (["word", "a", "é", " ", " ", "  ", "\n", "'s", "12", ".", ", "], True),
    "white space": ([" ", "\n", "\t", "\r\n", "\u00a0", "\u3000", " "], False),
    "ASCII white space and letters": (["x", " ", "\n"], True),
    "Chinese without white space": (["我", "爱", "吃", "，", "。", "苹"], False),
    "ideographic space": (["我", "\u3000", "爱"], False),
    "letters": (["a", "b", "é"], False),
    "digits and letters": (["1", "a", "2", "b"], False),
    "odd bytes": ([b"\xff", b"\xe4\xbd", b"\xf0\x9f", b" ", b"\x80", b"\xc2", b"\xa0", b"a"], False),
    "quotes": (["'", "s", "'s", "'ll", "l", " '", "t"], False),
    "code": (["if (x) {\n", "\t", "\t\t", "}\n", "  ", "foo_bar", "();\n", "\n\n\n"], True),
}


class BigDocument(tokmill.TestCase):
    def text(self, name, size):
        pieces = [piece.encode() if isinstance(piece, str) else piece for piece in ALPHABETS[name][0]]
        return b"".join(self.rng.choices(pieces, k=size))

    def test_ids_are_those_of_one_range(self):
        training = b"".join(self.text(name, 500) for name in ALPHABETS)
        for pattern in ("gpt2", "whitespace", "none"):
            tokenizer = self.train(self.put("training.txt", training), "--pattern", pattern, vocabulary=400)
            for name in ALPHABETS:
                for _ in range(scaled(1)):
                    text = self.text(name, 80)
                    path = self.put("text.txt", text)
                    whole = self.encode(path, "--eot", "none", tokenizer=tokenizer)
                    self.assertEqual(len(whole.names), 1)
                    for size in (1, 4, 15, 50):
                        shards = self.encode(path, "--eot", "none", "--shard-size", size, tokenizer=tokenizer)
                        self.assertEqual((shards.ids, shards.ends), (whole.ids, whole.ends),
                                         f"{name} {pattern} {size}")

    def test_it_is_cut(self):
        tokenizer = self.bytes_tokenizer()
        for name, (_, cut) in ALPHABETS.items():
            path = self.put("text.txt", self.text(name, 20_000))
            shards = self.encode(path, "--eot", "none", "--shard-size", "4K", tokenizer=tokenizer)
            sizes = [end - begin for shard in shards.manifest["shards"] for _, begin, end,
                     _ in shard["sources"]]
            if cut:
                with self.subTest(name):
                    self.assertLess(max(sizes), 8192)
            self.tokmill("verify", shards.path, "--against", path)

    def test_larger_than_the_windows(self):
        """Real sizes: megabytes, cut at every shard size, counted and encoded."""
        for name in ("words", "Chinese without white space", "letters"):
            path = self.put("text.txt", self.text(name, 1_200_000))
            tables, ids = set(), None
            tokenizer = self.train(self.put("small.txt", self.text(name, 2000)), vocabulary=300)
            for size in ("100K", "333333", "64M"):
                self.tokmill("count", path, "--shard-size", size, "-o", self.at("table"))
                tables.add(read(self.at("table")))
                shards = self.encode(path, "--eot", "none", "--shard-size", size, tokenizer=tokenizer)
                ids = ids or shards.ids
                self.assertTrue(shards.ids == ids, f"{name}: ids differ with {size}")
                self.assertEqual(shards.ends, [len(ids)])
            self.assertEqual(len(tables), 1, name)

    def test_one_enormous_pretoken(self):
        """Time stays about linear in its length."""
        tokenizer = self.train(self.put("training.txt", b"ab" * 100 + b"aab" * 50 + b"abb" * 30),
                               vocabulary=270)
        for pieces in ([b"ab"], [b"a"], [b"a", b"b"], [b"aab", b"abb", b"a"]):
            text = b"".join(self.rng.choices(pieces, k=1_500_000))
            shards = self.encode(self.put("text.txt", text), "--eot", "none", tokenizer=tokenizer, timeout=60)
            self.tokmill("verify", shards.path, "--against", self.at("text.txt"))
            self.assertTrue(self.decode(shards) == text)

    def test_enormous_pretoken_is_counted_and_learnt(self):
        for pattern in ("gpt2", "none"):
            text = bytes(self.rng.choices(b"abc", k=1_000_000))
            tokenizer = self.train(self.put("text.txt", text), "--pattern", pattern, vocabulary=300)
            self.assertEqual(len(tokenizer.merges), 44)
            self.assertTrue(all(len(left + right) > 1 for left, right in tokenizer.merges))


if __name__ == "__main__":
    unittest.main()
