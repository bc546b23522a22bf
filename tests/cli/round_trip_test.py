"""`decode`: the bytes come back, whatever they are."""
import array
import os
import unittest

import formats
import texts
import tokmill
from texts import NASTY, ODD
from tokmill import EOT, scaled


class RoundTrip(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        training = "\n".join(NASTY).encode() * 2 + texts.prose(self.rng, 50_000)
        self.tokenizer = self.train(self.put("training.txt", training), "--special", EOT, vocabulary=500)

    def shards_of(self, data, *options):
        return self.encode(self.put("data.bin", data), "--eot", "none", *options, tokenizer=self.tokenizer)

    def test_odd_bytes(self):
        for data in ODD + [text.encode() for text in NASTY]:
            for text in (data, b"x" + data + b"y", data + EOT.encode() + data, data * 3):
                shards = self.shards_of(text)
                self.assertEqual(self.decode(shards), text)
                self.assertEqual(self.decode(shards, errors="replace"),
                                 text.decode(errors="replace").encode(), text)
            self.tokmill("verify", shards.path, "--against", self.at("data.bin"))

    def test_random_bytes_in_shards_of_all_sizes(self):
        for trial in range(scaled(60)):
            some = bytes(self.rng.choices(range(256), k=self.rng.randint(1, 6)))
            kinds = (lambda size: self.rng.randbytes(size),
                     lambda size: bytes(self.rng.choices(some, k=size)),
                     lambda size: b"".join(self.rng.choices(ODD, k=size // 20)))
            text = self.rng.choice(kinds)(self.rng.choice([3, 50, 3000, 40_000]))
            shards = self.shards_of(text, "--shard-size",
                                    max(1, len(text) // self.rng.choice([1, 2, 10, 50])))
            self.assertEqual(self.decode(shards), text, f"trial {trial}")
            self.assertEqual(self.decode(shards, errors="replace"), text.decode(errors="replace").encode())

    def test_characters_cut_by_frames_and_shards(self):
        text = ("é我👍" * 3000).encode() + b"\xf0\x9f"
        for frame in (1024, 1028):
            shards = self.shards_of(text, "--frame-size", frame, "--shard-size", 999)
            self.assertEqual(self.decode(shards), text)
            self.assertEqual(self.decode(shards, errors="replace"), text.decode(errors="replace").encode())
            self.fails("decode", shards.path, "--errors", "strict", "-o", self.at("out"),
                       says=str(len(text) - 2))
        whole = self.shards_of(text[:-2], "--shard-size", 999)
        self.assertEqual(self.decode(whole, errors="strict"), text[:-2])

    def test_strict_names_the_place(self):
        for before in (b"", b"abc", "é我".encode(), b"x" * 70_000):
            for bad in (b"\xff", b"\x80", b"\xed\xa0\x80", b"\xe4\xbd", b"\xe4\xbdx", b"\xc0\xaf"):
                shards = self.shards_of(before + bad)
                said = self.fails("decode", shards.path, "--errors", "strict", "-o", self.at("out"),
                                  says="UTF-8")
                self.assertRegex(said, rf"\b{len(before)}\b")
                self.assertFalse(os.path.exists(self.at("out")), "a failed decode left its output")

    def test_default_is_replace_and_standard_output_is_a_file(self):
        shards = self.shards_of(b"a\xffb")
        self.assertEqual(self.tokmill("decode", shards.path).stdout, "a\ufffdb".encode())
        self.tokmill("decode", shards.path, "-o", self.at("out"))
        self.assertEqual(formats.read(self.at("out")), "a\ufffdb".encode())

    def test_a_file_of_ids(self):
        text = b"one two\xff" + EOT.encode() + b"three"
        for dtype in ("uint16", "uint32"):
            shards = self.shards_of(text, "--format", "bin", "--dtype", dtype)
            path = shards.path + "/shard-00000.bin"
            options = () if dtype == "uint16" else ("--dtype", dtype)
            self.assertEqual(self.decode(path, "--tokenizer", self.tokenizer.path, *options), text)
            packed = self.shards_of(text, "--dtype", dtype).path + "/shard-00000.bin.zst"
            self.assertEqual(self.decode(packed, "--tokenizer", self.tokenizer.path, *options), text)
        own = self.put("ids.bin",
                       array.array("H", [self.tokenizer.vocabulary[token] for token in ("a", "Ġ",
                                                                                        "b")]).tobytes())
        self.assertEqual(self.decode(own, "--tokenizer", self.tokenizer.path), b"a b")

    def test_a_bad_file_of_ids(self):
        for data, says in ((array.array("H", [1, 2, 60000]).tobytes(), ["2", "vocabulary"]),
                           (b"\1\0\2", "multiple")):
            path = self.put("ids.bin", data)
            self.fails("decode", path, "--tokenizer", self.tokenizer.path, "-o", self.at("out"),
                       says=[path, *([says] if isinstance(says, str) else says)])
        self.fails("decode", path, code=2, says="--tokenizer")
        self.fails("decode", self.at("nowhere"), "--tokenizer", self.tokenizer.path, says="nowhere")

    def test_separators_come_with_the_text(self):
        text = b"one" + EOT.encode() + b"two"
        corpus = self.put("text.txt", text)
        self.assertEqual(self.decode(self.encode(corpus, tokenizer=self.tokenizer)), text + EOT.encode())
        before = self.encode(corpus, "--eot", "prepend", tokenizer=self.tokenizer)
        self.assertEqual(self.decode(before), EOT.encode() + b"one" + EOT.encode() + b"two")

    def test_white_space_pattern_drops_it(self):
        tokenizer = self.train(self.at("training.txt"), "--special", EOT, "--pattern", "whitespace",
                               vocabulary=400)
        shards = self.encode(self.put("text.txt", " a  b\n\u00a0c\u3000" + EOT + " d "), "--eot", "none",
                             tokenizer=tokenizer)
        self.assertEqual(self.decode(shards), b"abc" + EOT.encode() + b"d")

    def test_special_tokens_of_all_spellings(self):
        """Those that are spelled like bytes are, too."""
        for special in ("«fin»", "éé", "Ġ<x>", "我", "\u00a0\u00a0", "a b", "\n\n", "\"\\", "Ġa", "</s>"):
            text = ("x" + special + "y" + special).encode()
            tokenizer = self.train(self.put("text.txt", text), "--special", special, vocabulary=260)
            shards = self.encode(self.at("text.txt"), tokenizer=tokenizer)
            self.assertEqual((shards.ids.count(0), shards.ids[-1]), (2, 0), special)
            self.assertEqual(self.decode(shards), text)
            self.tokmill("verify", shards.path, "--against", self.at("text.txt"))


if __name__ == "__main__":
    unittest.main()
