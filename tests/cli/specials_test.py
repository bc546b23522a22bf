"""Special tokens: found first, leftmost, the longest winning, wherever the text is cut."""
import unittest

import formats
import models
import tokmill
from tokmill import EOT, scaled

SETS = [
    [EOT, EOT + EOT],
    ["a", "ab", "abc", "bc", "c"],
    ["aa", "aaa", "aaaaa"],
    ["ab", "ba", "aba", "bab"],
    [" ", "\n\n", "a b", "b \n"],
    ["<|a|>", "<|a|><|b|>", "<|b|>", "|><|"],
    ["éé", "«é»", "\u00a0", "我", "我我"],
    ["abababac", "abac", "ba"],
]


class Specials(tokmill.TestCase):
    def ids(self, text, specials, *options):
        """The ids of a text in one range and, for each further shard size, the same."""
        shards = self.encode(self.put("text.txt", text), "--eot", "none", *options,
                             tokenizer=self.tokenizer(specials))
        return shards.ids

    def tokenizer(self, specials, merges=()):
        key = (tuple(specials), tuple(merges))
        self.known = getattr(self, "known", {})
        if key not in self.known:
            self.known[key] = self.bytes_tokenizer(*specials, merges=merges)
        return self.known[key]

    def expected(self, text, specials, merges=()):
        number = {bytes([byte]): byte for byte in range(256)}
        number.update({left + right: 256 + i for i, (left, right) in enumerate(merges)})
        ids = []
        for part, special in models.cut_at_specials(text, specials):
            if special:
                ids.append(256 + len(merges) + specials.index(part.decode()))
            else:
                ids += [number[token] for token in models.encode(part, list(merges))]
        return ids

    def test_longest_wins(self):
        two = [EOT, EOT + EOT]
        e = EOT.encode()
        for text, want in ((e, [256]), (e * 2, [257]), (e * 3, [257, 256]), (e * 4, [257, 257]),
                           (e + b" " + e, [256, 32, 256]),
                           (e[:-1], list(e[:-1])), (e + e[:-1], [256] + list(e[:-1])), (b"<" + e, [60, 256])):
            self.assertEqual(self.ids(text, two), want, text)

    def test_leftmost_beats_longest(self):
        self.assertEqual(self.ids(b"xabcdef", ["ab", "bcdef"]), [120, 256, 99, 100, 101, 102])

    def test_order_of_naming_does_not_matter(self):
        for specials in SETS:
            text = self.random_text(specials, 60)
            names = {256 + i: special for i, special in enumerate(specials)}
            other = specials[::-1]
            want = [256 + other.index(names[i]) if i in names else i for i in self.ids(text, specials)]
            self.assertEqual(self.ids(text, other), want)

    def random_text(self, specials, pieces):
        parts = specials * 3 + [special[:-1] for special in specials] + [special[1:] for special in specials]
        parts += ["a", "b", "c", " ", "\n", "x", "", "'s", "1"]
        return "".join(self.rng.choices(parts, k=pieces)).encode()

    def test_white_space_within(self):
        self.assertEqual(self.ids(b"a my token b my  token", ["my token"]),
                         list(b"a ") + [256] + list(b" b my  token"))

    def test_across_every_cut(self):
        """Shards so small that every place is tried: the ids are those of one range."""
        merges = [(b"a", b"b"), (b"<", b"|"), (b" ", b"x"), (b"x", b"x")]
        for specials in SETS:
            tokenizer = self.tokenizer(specials, merges)
            for _ in range(scaled(2)):
                text = self.random_text(specials, 25)
                path = self.put("text.txt", text)
                want = self.expected(text, specials, merges)
                for size in (1, 2, 3, 4, 5, 7, 9, 13, 17, 29, 64, 10**6):
                    shards = self.encode(path, "--eot", "none", "--eot-token", specials[0], "--shard-size",
                                         size,
                                         tokenizer=tokenizer)
                    self.assertEqual(shards.ids, want, f"{text} {specials} {size}")
                    sources = [tuple(source[1:3]) for shard in shards.manifest["shards"]
                               for source in shard["sources"]]
                    self.assertEqual([begin for begin, _ in sources], [0] + [end for _, end in sources[:-1]])
                    self.assertEqual(sources[-1][1], len(text))

    def test_counting_does_not_depend_on_the_cuts(self):
        for specials in SETS:
            options = [part for special in specials if len(special.encode()) > 1 for part in ("--special",
                                                                                              special)]
            for pattern in ("gpt2", "whitespace", "none"):
                path = self.put("text.txt", self.random_text(specials, 60))
                tables = set()
                for size in (1, 2, 3, 5, 8, 10**6):
                    self.tokmill("count", path, *options, "--pattern", pattern, "--shard-size", size, "-o",
                                 self.at("table"))
                    tables.add(formats.read(self.at("table")))
                self.assertEqual(len(tables), 1, f"{specials} {pattern}")

    def test_training_is_not_touched_by_them(self):
        """Nothing merges across a special token, nor into one."""
        text = ("ab" + EOT + "ba" + EOT + EOT) * 50
        tokenizer = self.train(self.put("text.txt", text), "--special", EOT, vocabulary=300)
        self.assertEqual(tokenizer.merge_lines, ["b a", "a b"])

    def test_what_looks_like_one_is_text(self):
        """Without --special the spelling is ordinary text."""
        tokenizer = self.train(self.put("text.txt", EOT * 20), vocabulary=300)
        self.assertIn((b"end", b"oftext"), [(a, b) for a, b in tokenizer.merges] + [(b"end", b"oftext")])
        self.assertIn(b"endoftext", [left + right for left, right in tokenizer.merges])

    def test_many_of_them(self):
        specials = [f"<|reserved_{i}|>" for i in range(500)] + [EOT]
        text = b"".join(special.encode() + b"x" for special in self.rng.sample(specials, 400))
        self.assertEqual(self.encode(self.put("text.txt", text), "--eot", "none",
                                     tokenizer=self.tokenizer(specials)).ids,
                         self.expected(text, specials))

    def test_refused(self):
        path = self.put("text.txt", "x")
        for options, says in ((["--special", ""], "empty"), (["--special", "ab", "--special", "ab"], "twice"),
                              (["--special", "a"], "single byte")):
            self.fails("train", path, "--vocab-size", 300, *options, "-o", self.at("x"), code=2, says=says)


if __name__ == "__main__":
    unittest.main()
