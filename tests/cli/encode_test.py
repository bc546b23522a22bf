"""`encode`: the ids, and the files that hold them."""
import array
import hashlib
import itertools
import json
import os
import subprocess
import sys
import unittest

import formats
import models
import texts
import tokmill
from formats import read
from texts import NASTY
from tokmill import CS336, EOT, SHARED, scaled

# GPT-2's ids of the fixture texts and of the first 20,000,000 bytes of the corpora: how many, and the beginning of
# the SHA-1 of them as little-endian uint16; from tiktoken.
GPT2 = {
    CS336 + "/address.txt": (320, "6dd893e33ca9"),
    CS336 + "/german.txt": (190, "c12ac9479936"),
    CS336 + "/tinystories_sample.txt": (923, "5bd9b28d7d33"),
    CS336 + "/corpus.en": (30854, "88773663ef27"),
    SHARED + "/corpora/classic-books.txt.zst": (4802416, "c160e39e3735"),
    SHARED + "/corpora/chinese-poems.txt.zst": (13076511, "0c222c134d05"),
}
FIRST = 20_000_000

# The number of tiktoken's ids of a file, of the bytes it took, and the hash of the ids but for the last eight.
TIKTOKEN = """
import array, hashlib, tiktoken
sys.path.insert(0, question['here'])
from formats import unspell
vocabulary = json.load(open(question['vocabulary']))
special = {'<|endoftext|>': vocabulary.pop('<|endoftext|>')}
ranks = {unspell(token): number for token, number in vocabulary.items()}
encoding = tiktoken.Encoding('gpt2', pat_str=question['pattern'], mergeable_ranks=ranks, special_tokens=special)
text = open(question['path'], 'rb').read().decode(errors='ignore')  # it may end within a character
ids = encoding.encode(text, allowed_special='all')
answer = [len(ids), len(text.encode()), hashlib.sha1(array.array('H', ids[:-8]).tobytes()).hexdigest()[:12]]
"""


def sha1(ids):
    values = array.array("H", ids)
    if sys.byteorder == "big":
        values.byteswap()
    return hashlib.sha1(values.tobytes()).hexdigest()[:12]


class Ids(tokmill.TestCase):
    def test_the_cat_ate(self):
        vocabulary = {"Ġ": 0, "a": 1, "c": 2, "e": 3, "h": 4, "t": 5, "th": 6, "Ġc": 7, "Ġa": 8, "the": 9,
                      "Ġat": 10}
        self.put("cat/vocab.json", json.dumps(vocabulary))
        self.put("cat/merges.txt", "t h\nĠ c\nĠ a\nth e\nĠa t\n")
        shards = self.encode(self.put("text.txt", "the cat ate"), "--eot", "none", tokenizer=self.at("cat"))
        self.assertEqual(shards.ids, [9, 7, 1, 5, 10, 3])

    @tokmill.needs_cs336
    def test_contractions_numbers_and_chinese(self):
        """Each pretoken alone gives the ids that the whole sentence gives."""
        sentence = "I'm 26岁, 住在 101号. 很高兴认识你!   "
        pieces = ["I", "'m", " 26", "岁", ",", " 住在", " 101", "号", ".", " 很高兴认识你", "!", "   "]
        self.assertEqual("".join(pieces), sentence)
        gpt2 = self.gpt2()
        for i, piece in enumerate(pieces):
            self.put(f"pieces/{i:02}.txt", piece)
        whole = self.encode(self.put("text.txt", sentence), "--eot", "none", tokenizer=gpt2)
        parts = self.encode(self.at("pieces"), "--eot", "none", tokenizer=gpt2)
        self.assertEqual(whole.ids, parts.ids)
        self.assertEqual(len(parts.ends), len(pieces))
        table = self.at("table")
        self.tokmill("count", self.at("text.txt"), "-o", table)
        listed = json.loads(self.tokmill("inspect", table, "--json").stdout)["most_frequent"]
        self.assertEqual(sorted(formats.unspell(entry["pretoken"]).decode() for entry in listed),
                         sorted(pieces))

    def gpt2_ids(self, path):
        if path.endswith(".zst"):
            with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as unpack:
                path = self.put(os.path.basename(path)[:-4], unpack.stdout.read(FIRST))
                unpack.stdout.close()
        return path, self.encode(path, "--special", EOT, "--eot", "none", tokenizer=self.gpt2()).ids

    def check_gpt2(self, source):
        path, ids = self.gpt2_ids(source)
        self.assertEqual((len(ids), sha1(ids)), GPT2[source])
        if tokmill.PEERS:
            answer = self.peers(TIKTOKEN, {"here": os.path.dirname(os.path.abspath(__file__)), "path": path,
                                           "vocabulary": CS336 + "/gpt2_vocab.json",
                                           "pattern": tokmill.GPT2_PATTERN})
            if answer[1] == os.path.getsize(path):
                self.assertEqual(answer[0], len(ids))
            self.assertEqual(answer[2], sha1(ids[:answer[0] - 8]))  # the last ids differ if it does

    @tokmill.needs_cs336
    def test_gpt2_ids_of_the_fixtures(self):
        for source in GPT2:
            if source.startswith(CS336):
                self.check_gpt2(source)

    @tokmill.needs_zstd
    @tokmill.needs_cs336
    @tokmill.needs(SHARED + "/corpora")
    def test_gpt2_ids_of_the_corpora(self):
        for source in GPT2:
            if not source.startswith(CS336):
                self.check_gpt2(source)

    def test_against_the_model(self):
        for trial in range(scaled(60)):
            alphabet = self.rng.choice(["ab", "abc", "ab ' s1", "é我 a\n", "aAb.\u00a0", "a"])
            pattern = self.rng.choice(["gpt2", "whitespace", "none"])
            def random_text():
                return "".join(self.rng.choices(alphabet, k=self.rng.randint(0, 400))).encode()
            training = random_text()
            tokenizer = self.train(self.put("training.txt", training), "--pattern", pattern,
                                   vocabulary=self.rng.choice([260, 280, 330]))
            text = self.rng.choice([training, random_text(), training * 3,
                                    alphabet[0].encode() * self.rng.randint(1, 3000)])
            tokens = models.encode(text, tokenizer.merges, pattern=pattern)
            want = [tokenizer.vocabulary[formats.spell(token)] for token in tokens]
            for size in (self.rng.choice([1, 5, 50]), 10**6):
                shards = self.encode(self.put("text.txt", text), "--eot", "none", "--shard-size", size,
                                     tokenizer=tokenizer)
                self.assertEqual(shards.ids, want, f"trial {trial}: {text} after {training}, {pattern}")

    def test_whole_word_is_no_shortcut(self):
        """A pretoken that is in the vocabulary, but that the merges do not make, unless `ignore_merges`."""
        merges = [(b"b", b"c"), (b"a", b"b")]
        path = self.bytes_tokenizer(merges=merges) + "/tokenizer.json"
        model = json.loads(read(path))
        model["model"]["vocab"]["abc"] = 258
        text = self.put("text.txt", "abc")
        for shortcut, want in ((None, [97, 256]), (False, [97, 256]), (True, [258])):
            if shortcut is not None:
                model["model"]["ignore_merges"] = shortcut
            self.put("t.json", json.dumps(model))
            self.assertEqual(self.encode(text, "--eot", "none", tokenizer=self.at("t.json")).ids, want)

    def test_long_pretokens(self):
        merges = [(b"a", b"a"), (b"aa", b"aa"), (b"b", b"a"), (b"ba", b"ba")]
        tokenizer = self.bytes_tokenizer(merges=merges)
        number = {**{bytes([i]): i for i in range(256)},
                  **{a + b: 256 + i for i, (a, b) in enumerate(merges)}}
        for text in (b"a" * 3001, b"ba" * 1500, b"ab" * 1501, bytes(self.rng.choices(b"aab", k=2500))):
            want = [number[token] for token in models.encode(text, merges)]
            self.assertEqual(self.encode(self.put("text.txt", text), "--eot", "none",
                                         tokenizer=tokenizer).ids, want)


@tokmill.needs_zstd
class Files(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = texts.prose(self.rng, 300_000)
        self.corpus = self.put("corpus.txt", self.text)
        self.tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=500)

    def test_dtypes(self):
        narrow = self.encode(self.corpus, tokenizer=self.tokenizer)
        self.assertEqual(narrow.manifest["dtype"], "uint16")
        for form in ("zst", "bin"):
            wide = self.encode(self.corpus, "--dtype", "uint32", "--format", form, tokenizer=self.tokenizer)
            self.assertEqual((wide.manifest["dtype"], wide.ids), ("uint32", narrow.ids))
            self.tokmill("verify", wide.path, "--against", self.corpus)
            self.assertEqual(self.decode(wide), self.decode(narrow))

    def test_vocabulary_that_needs_more(self):
        """65,536 ids fit in 16 bits, one more does not."""
        text = self.put("text.txt", f"x{EOT}y")
        for size, dtype in ((65536, "uint16"), (65537, "uint32")):
            tokenizer = self.bytes_tokenizer(EOT, unused=size - 257)
            shards = self.encode(text, "--eot", "none", tokenizer=tokenizer)
            self.assertEqual((shards.manifest["dtype"], shards.ids), (dtype, [120, size - 1, 121]))
        self.fails("encode", text, "--tokenizer", tokenizer, "--eot", "none", "--dtype", "uint16", "-o",
                   self.at("x"),
                   code=2, says=["uint16", "65536", "uint32"])
        self.assertFalse(os.path.exists(self.at("x")), "something was made before the error")

    def test_plain_format_is_what_zstd_gives(self):
        options = ("--shard-size", "50K")
        packed = self.encode(self.corpus, *options, tokenizer=self.tokenizer)
        plain = self.encode(self.corpus, *options, "--format", "bin", tokenizer=self.tokenizer)
        self.assertGreater(len(plain.names), 3)
        for name in plain.names:
            self.assertEqual(formats.unzst(read(f"{packed.path}/{name}.bin.zst")),
                             read(f"{plain.path}/{name}.bin"))
            self.assertEqual(read(f"{packed.path}/{name}.idx"), read(f"{plain.path}/{name}.idx"))
        self.tokmill("verify", plain.path, "--against", self.corpus)

    def test_any_frame_can_be_read_alone(self):
        want = self.encode(self.corpus, "--format", "bin", tokenizer=self.tokenizer)
        plain = read(f"{want.path}/shard-00000.bin")
        for frame in ("1024", "4K", "30000", "1M"):
            for level in ("1", "19", "-5"):
                shards = self.encode(self.corpus, "--frame-size", frame, "--level", level,
                                     tokenizer=self.tokenizer)
                data = read(f"{shards.path}/shard-00000.bin.zst")
                self.assertEqual(shards.ids, want.ids)
                entries = formats.seek_table(data)
                sizes = [entry[1] for entry in entries]
                most = {"4K": 4096, "1M": 1 << 20}.get(frame) or int(frame)
                self.assertEqual(sizes[:-1], [most] * (len(sizes) - 1))
                self.assertEqual(sum(sizes), len(plain))
                starts = [0, *itertools.accumulate(entry[0] for entry in entries)]
                for i in self.rng.sample(range(len(entries)), min(3, len(entries))):
                    frame_bytes = data[starts[i]:starts[i + 1]]
                    self.assertEqual(formats.unzst(frame_bytes), plain[sum(sizes[:i]):sum(sizes[:i + 1])])

    def test_level_makes_them_smaller(self):
        sizes = [sum(shard["bytes"] for shard in self.encode(self.corpus, "--level", level,
                                                             tokenizer=self.tokenizer).manifest["shards"])
                 for level in (-5, 1, 19)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_manifest(self):
        shards = self.encode(self.corpus, "--shard-size", "50K", tokenizer=self.tokenizer)
        manifest = shards.manifest
        names = [f"{name}.{suffix}" for name in shards.names for suffix in ("bin.zst", "idx")]
        self.assertEqual(sorted(os.listdir(shards.path)), sorted(names + ["manifest.json", "tokenizer.json"]))
        self.assertEqual(read(shards.path + "/tokenizer.json"), read(self.tokenizer.path + "/tokenizer.json"))
        self.assertEqual(manifest["vocabulary"], 500)
        self.assertEqual([shard["tokens"] for shard in manifest["shards"]],
                         [len(part) for part in shards.parts])
        self.assertEqual([shard["documents"] for shard in manifest["shards"]],
                         [len(ends) for ends in shards.part_ends])
        self.assertEqual([shard["bytes"] for shard in manifest["shards"]],
                         [os.path.getsize(f"{shards.path}/{name}.bin.zst") for name in shards.names])
        self.assertTrue(all(b - a <= 70_000 for shard in manifest["shards"] for _, a, b,
                            _ in shard["sources"]))

    def test_dry_run(self):
        real = self.report("encode", self.corpus, "--tokenizer", self.tokenizer.path, "-o", self.at("real"))
        before = sorted(os.listdir(self.directory))
        dry = self.report("encode", self.corpus, "--tokenizer", self.tokenizer.path, "--dry-run", "-o",
                          self.at("dry"))
        none = self.report("encode", self.corpus, "--tokenizer", self.tokenizer.path, "--dry-run",
                           cwd=self.directory)
        self.assertEqual(sorted(os.listdir(self.directory)), before)
        for name in ("bytes", "documents", "pretokens", "tokens", "shards", "bytes_per_token"):
            self.assertEqual((dry[name], none[name]), (real[name], real[name]), name)

    def test_byte_that_the_vocabulary_cannot_spell(self):
        vocabulary = {"a": 0, "b": 1, "Ġ": 2, "ab": 3}
        self.put("small/vocab.json", json.dumps(vocabulary))
        self.put("small/merges.txt", "a b\n")
        for text, offset in ((b"ab ab!ab", 5), (b"!", 0), (b"ab " * 30_000 + b"c", 90_000), (b"ab\xff", 2)):
            path = self.put("text.txt", text)
            said = self.fails("encode", path, "--tokenizer", self.at("small"), "--eot", "none", "-o",
                              self.at("out"),
                              "--shard-size", "10K", "--progress", "none", says=[path, str(text[offset])])
            self.assertRegex(said, rf"\b{offset}\b")
            self.assertFalse(os.path.exists(self.at("out/manifest.json")))
            subprocess.run(["rm", "-rf", self.at("out")], check=True)

    def test_every_nasty_text_survives(self):
        for i, text in enumerate(NASTY):
            self.put(f"nasty/{i:02}.txt", text)
        shards = self.encode(self.at("nasty"), "--eot", "none", tokenizer=self.tokenizer)
        self.assertEqual(self.decode(shards).decode(), "".join(NASTY))


if __name__ == "__main__":
    unittest.main()
