"""`verify`: one flipped bit, or a file cut short anywhere, is found and named."""
import json
import os
import shutil
import unittest

import texts
import tokmill
from formats import read
from tokmill import EOT, scaled

QUIET = ("--progress", "none", "-j", 1)


class Damage(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.corpus = self.put("corpus.txt", texts.prose(self.rng, 30_000))
        self.tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=300).path
        self.options = ("--shard-size", "8K", "--frame-size", "1K", "--dtype", "uint16")

    def shards(self, form="zst"):
        return self.encode(self.corpus, *self.options, "--format", form, tokenizer=self.tokenizer).path

    def assert_found(self, target, path, how):
        said = self.fails("verify", target, *QUIET, says=os.path.basename(path))
        self.assertNotIn("basic_string", said, how)
        self.assertIn(os.path.dirname(path), said)

    def flip_bits(self, target, paths, trials):
        self.tokmill("verify", target, *QUIET)
        for _ in range(scaled(trials)):
            path = self.rng.choice(paths)
            whole = read(path)
            bit = self.rng.randrange(len(whole) * 8)
            data = bytearray(whole)
            data[bit // 8] ^= 1 << bit % 8
            self.put(path, bytes(data))
            with self.subTest(file=os.path.basename(path), bit=bit):
                self.assert_found(target, path, f"bit {bit}")
            self.put(path, whole)
        self.tokmill("verify", target, *QUIET)

    def cut_short(self, target, paths, trials):
        for path in paths:
            whole = read(path)
            lengths = {0, 1, 7, 8, len(whole) - 1, len(whole) - 9, len(whole) // 2}
            lengths |= {self.rng.randrange(len(whole)) for _ in range(scaled(trials))}
            for length in sorted(length for length in lengths if 0 <= length < len(whole)):
                self.put(path, whole[:length])
                with self.subTest(file=os.path.basename(path), length=length):
                    self.assert_found(target, path, f"cut to {length}")
            for more in (b"\0", b"\n", whole[-8:], whole):
                self.put(path, whole + more)
                with self.subTest(file=os.path.basename(path), more=more[:8]):
                    self.assert_found(target, path, "grown")
            os.unlink(path)
            self.fails("verify", target, *QUIET, says=os.path.dirname(path))
            self.put(path, whole)
        self.tokmill("verify", target, *QUIET)

    def files(self, target, *endings):
        return [os.path.join(target, name) for name in sorted(os.listdir(target)) if name.endswith(endings)]

    def test_bits_of_shards(self):
        target = self.shards()
        self.flip_bits(target, self.files(target, ".bin.zst"), 60)
        target = self.shards("bin")
        self.flip_bits(target, self.files(target, ".bin"), 30)

    def test_bits_of_indexes_and_manifest(self):
        target = self.shards()
        self.flip_bits(target, self.files(target, ".idx"), 40)
        self.flip_bits(target, self.files(target, "manifest.json"), 80)
        self.flip_bits(target, self.files(target, "tokenizer.json"), 30)

    def test_bits_of_a_tokenizer(self):
        self.flip_bits(self.tokenizer, self.files(self.tokenizer, ""), 80)

    def test_bits_of_a_table(self):
        table = self.at("tables/counts.table")
        os.mkdir(self.at("tables"))
        self.tokmill("count", self.corpus, "-o", table)
        self.flip_bits(table, [table], 100)
        self.cut_short(table, [table], 20)
        os.truncate(table, 3000)
        self.fails("train", "--counts", table, "--vocab-size", 300, "-o", self.at("out"), says=table)
        self.fails("merge", table, "-o", self.at("out.table"), says=table)
        self.fails("inspect", table, says=table)
        self.assertFalse(os.path.exists(self.at("out.table")))

    def test_lengths(self):
        for form in ("zst", "bin"):
            target = self.shards(form)
            self.cut_short(target, self.files(target, "0000.bin.zst", "0001.bin", "0001.idx", "manifest.json",
                                              "tokenizer.json"), 6)
        self.cut_short(self.tokenizer, self.files(self.tokenizer, ""), 3)

    def test_files_in_each_other_s_place(self):
        """Sound files, but not the right ones."""
        target = self.shards()
        other = self.encode(self.corpus, *self.options, "--eot", "prepend", tokenizer=self.tokenizer).path
        for name in ("shard-00001.bin.zst", "shard-00001.idx"):
            whole = read(f"{target}/{name}")
            for source in (f"{target}/{name.replace('1', '2')}", f"{other}/{name}"):
                if read(source) == whole:
                    continue
                shutil.copy(source, f"{target}/{name}")
                self.assert_found(target, f"{target}/{name}", source)
            self.put(f"{target}/{name}", whole)
        tokenizer = self.train(self.corpus, "--special", EOT, "--special-ids", "last", vocabulary=300).path
        shutil.copy(tokenizer + "/tokenizer.json", target + "/tokenizer.json")
        self.assert_found(target, target + "/tokenizer.json", "another tokenizer")

    def test_damage_does_not_decode_to_other_text(self):
        """Where it is not seen by the way, the text is the right one."""
        target = self.shards()
        text = self.decode(target)
        paths = self.files(target, ".bin.zst", "manifest.json", "tokenizer.json")
        for _ in range(scaled(60)):
            path = self.rng.choice(paths)
            whole = read(path)
            data = bytearray(whole)
            data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
            self.put(path, bytes(data))
            out = self.new("out")
            done = self.tokmill("decode", target, "--errors", "bytes", "-o", out, code=(0, 1))
            if done.code == 0:
                self.assertEqual(read(out), text, path)
            else:
                self.assertRegex(done.stderr, r"\Atokmill: [^\n]+\n\Z")
                self.assertFalse(os.path.exists(out))
            self.put(path, whole)

    def test_bad_tokenizer_files(self):
        """Whatever is wrong with a foreign tokenizer is an error that names it."""
        sound = json.loads(read(self.tokenizer + "/tokenizer.json"))
        for change, says in (
                (lambda t: t.pop("model"), ""), (lambda t: t.pop("pre_tokenizer"), ""),
                             (lambda t: t["model"].pop("vocab"), ""),
                (lambda t: t["model"].pop("merges"), ""), (lambda t: t["model"].update(type="Unigram"),
                                                           "Unigram"),
                (lambda t: t["model"].update(unk_token="<unk>"), "unk_token"),
                             (lambda t: t["model"].update(dropout=0.1), "dropout"),
                (lambda t: t.update(normalizer={"type": "NFC"}), "normalizer"),
                             (lambda t: t["model"]["merges"].append("a"), "merge"),
                (lambda t: t["model"]["merges"].append("zzz qqq"), "zzz"),
                             (lambda t: t["model"]["vocab"].update({"new": 5}), "5"),
                (lambda t: t["model"]["vocab"].update({"new": 10**12}), "10"),
                             (lambda t: t["model"]["vocab"].update({"new": -1}), ""),
                (lambda t: t["added_tokens"].append({"id": 5, "content": "new"}), "new"),
                (lambda t: t["added_tokens"].append({"id": 300, "content": "new", "lstrip": True}), "lstrip"),
                (lambda t: t["pre_tokenizer"].update(add_prefix_space=True), "add_prefix_space"),
                (lambda t: t["pre_tokenizer"].update(type="Metaspace"), "pre_tokenizer")):
            broken = json.loads(json.dumps(sound))
            change(broken)
            path = self.put("broken.json", json.dumps(broken))
            self.fails("encode", self.corpus, "--tokenizer", path, *QUIET, "-o", self.at("out"),
                       says=[path, says])
        for text in ("", "{", "[]", "null", "\xff", '{"model": 1}', "[" * 100_000):
            path = self.put("broken.json", text)
            self.fails("encode", self.corpus, "--tokenizer", path, *QUIET, "-o", self.at("out"), says=path)
        for vocabulary, merges, says in (("{}", "a b\n", "merges.txt"), ('{"a": 0}', "a\n", "line 1"),
                                         ('{"a": 0, "b": 1}', "#version: 0.2\na b\n", "line 2"),
                                         ('{"a": "x"}', "", "vocab.json"), ("7", "", "vocab.json"),
                                         ('{"a": 0, "b": 0}', "", "vocab.json")):
            self.put("pair/vocab.json", vocabulary)
            self.put("pair/merges.txt", merges)
            self.fails("encode", self.corpus, "--tokenizer", self.at("pair"), *QUIET, "-o", self.at("out"),
                       says=says)
        self.assertFalse(os.path.exists(self.at("out")))


if __name__ == "__main__":
    unittest.main()
