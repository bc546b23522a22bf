"""`train`: what is learnt, where it is put, and that others read it."""
import base64
import hashlib
import json
import unittest

import formats
import models
import texts
import tokmill
from formats import read, spell
from texts import NASTY
from tokmill import CS336, EOT, scaled


class WorkedExamples(tokmill.TestCase):
    @tokmill.needs_cs336
    def test_reference_merges(self):
        tokenizer = self.train(CS336 + "/corpus.en", "--special", EOT, vocabulary=500)
        self.assertEqual(tokenizer.merge_lines,
                         read(CS336 + "/train-bpe-reference-merges.txt").decode().splitlines())
        reference = json.loads(read(CS336 + "/train-bpe-reference-vocab.json"))
        self.assertEqual(set(tokenizer.vocabulary), set(reference))
        self.assertEqual(sorted(tokenizer.vocabulary.values()), list(range(500)))
        self.assertEqual(tokenizer.vocabulary[EOT], 0)

    @tokmill.needs_cs336
    def test_special_token_leaves_no_trace(self):
        tokenizer = self.train(CS336 + "/tinystories_sample.txt", "--special", EOT, vocabulary=1000)
        self.assertEqual([token for token in tokenizer.vocabulary if "<|" in token], [EOT])

    def test_sennrich(self):
        words = "low " * 5 + "lower " * 2 + "widest " * 3 + "newest " * 6
        want = "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r".split(", ")
        corpus = self.put("words.txt", words)
        tokenizer = self.train(corpus, "--pattern", "whitespace", vocabulary=268)
        self.assertEqual(tokenizer.merge_lines, want)
        six = self.train(corpus, "--pattern", "whitespace", vocabulary=262)
        self.assertEqual(six.merge_lines, want[:6])
        tokens = {number: token for token, number in six.vocabulary.items()}
        shards = self.encode(self.put("newest.txt", "newest"), "--eot", "none", tokenizer=six)
        self.assertEqual([tokens[number] for number in shards.ids], ["ne", "west"])

    def test_places_of_special_tokens(self):
        corpus = self.put("text.txt", "aaa bbb aaa")
        for place, ids, first_byte in (("first", (0, 1), 2), ("after-bytes", (256, 257), 0),
                                       ("last", (260, 261), 0)):
            tokenizer = self.train(corpus, "--pattern", "none", "--special", "<eos>", "--special", "<pad>",
                                   "--special-ids", place, vocabulary=262)
            self.assertEqual(tokenizer.merge_lines, ["a a", "b b", "aa a", "bb b"])
            vocabulary = tokenizer.vocabulary
            self.assertEqual((vocabulary["<eos>"], vocabulary["<pad>"]), ids, place)
            self.assertEqual([vocabulary[spell(bytes([byte]))] for byte in range(256)],
                             list(range(first_byte, first_byte + 256)))
            self.assertEqual(sorted(vocabulary.values()), list(range(262)))
            self.assertEqual(sorted(["aa", "bb", "aaa", "bbb"], key=vocabulary.get),
                             ["aa", "bb", "aaa", "bbb"])

    def test_default_place_is_first(self):
        self.assertEqual(self.train(self.put("text.txt", "ab"), "--special", EOT,
                                    vocabulary=258).vocabulary[EOT], 0)

    def test_chinese(self):
        text = "我爱吃苹果\n我爱吃香蕉\n我不爱吃苹果\n".encode()
        tokenizer = self.train(self.put("text.txt", text), vocabulary=280)
        self.assertEqual(tokenizer.merges, models.train(text, 24))
        for learnt in ("爱吃", "苹果", "我爱吃苹果"):
            shards = self.encode(self.put("one.txt", learnt), "--eot", "none", tokenizer=tokenizer)
            self.assertEqual(shards.ids, [tokenizer.vocabulary[spell(learnt.encode())]])

    def test_overlapping_pairs_count_twice(self):
        # "aaa" holds (a, a) twice: 2 beats the two of (b, c) only by the greater bytes... so (b, c) wins the tie.
        tokenizer = self.train(self.put("text.txt", "aaa bc bc"), "--pattern", "whitespace", vocabulary=257)
        self.assertEqual(tokenizer.merges, [(b"b", b"c")])
        tokenizer = self.train(self.put("text.txt", "aaaa bc bc"), "--pattern", "whitespace", vocabulary=257)
        self.assertEqual(tokenizer.merges, [(b"a", b"a")])

    def test_min_frequency(self):
        corpus = self.put("text.txt", "abab cd cd ef")
        for least, want in ((1, None), (2, ["c d", "a b"]), (3, []), (10**15, [])):
            tokenizer = self.train(corpus, "--pattern", "whitespace", "--min-frequency", least,
                                   vocabulary=1000)
            expected = models.train(b"abab cd cd ef", 744, pattern="whitespace", min_frequency=least)
            self.assertEqual(tokenizer.merges, expected)
            if want is not None:
                self.assertEqual(tokenizer.merge_lines, want)

    def test_tie_break(self):
        corpus = self.put("text.txt", "ab ab cd cd  a")
        for tie_break, merges, first in (("bytes", ["c d", "a b"], bytes([0])), ("hf", ["a b", "c d"], b"!")):
            tokenizer = self.train(corpus, "--pattern", "whitespace", "--special", EOT,
                                   "--tie-break", tie_break, vocabulary=259)
            self.assertEqual(tokenizer.merge_lines, merges)
            self.assertEqual(tokenizer.vocabulary[spell(first)], 1)
            self.assertEqual(tokenizer.training["run"]["options"]["tie_break"], tie_break)
            shown = self.tokmill("inspect", tokenizer.path).stdout.decode()
            self.assertRegex(shown, rf"tie_break +{tie_break}\n")

    def test_default_tie_break_is_bytes(self):
        corpus = self.put("text.txt", texts.prose(self.rng, 20_000))
        default, as_bytes, as_hf = (
            self.train(corpus, "--special", EOT, *options, vocabulary=500).tables()
            for options in ((), ("--tie-break", "bytes"), ("--tie-break", "hf")))
        self.assertEqual(as_bytes, default)
        self.assertNotEqual(as_hf, default)

    def test_vocabulary_that_cannot_be_filled(self):
        tokenizer = self.train(self.put("text.txt", "ab" + EOT + "ab"), "--special", EOT, vocabulary=50000)
        self.assertEqual(tokenizer.merge_lines, ["a b"])
        self.assertEqual(len(tokenizer.vocabulary), 258)
        for text in ("", EOT, EOT * 3, "a", "a b c"):
            tokenizer = self.train(self.put("text.txt", text), "--special", EOT, "--pattern", "whitespace",
                                   vocabulary=300)
            self.assertEqual((tokenizer.merges, len(tokenizer.vocabulary)), ([], 257), text)


class AgainstTheModel(tokmill.TestCase):
    def test_random_corpora(self):
        for trial in range(scaled(120)):
            alphabet = self.rng.choice(["ab", "abc", "a ", "ab ' s1", "é我 a\n", "aAb.\u00a0", "ab<|>"])
            specials = self.rng.choice([(), ("<|>",), ("a<", "a<|"), ("ba",)])
            pattern = self.rng.choice(["gpt2", "whitespace", "none"])
            text = "".join(self.rng.choices(alphabet, k=self.rng.randint(0, 300))).encode()
            least = self.rng.choice([1, 1, 2, 5])
            tie_break = self.rng.choice(["bytes", "hf"])
            options = [part for special in specials for part in ("--special", special)]
            tokenizer = self.train(self.put("text.txt", text), *options, "--pattern", pattern,
                                   "--min-frequency", least, "--tie-break", tie_break,
                                   "-j", self.rng.choice([1, 2]), "--shard-size",
                                   self.rng.choice([1, 10, 1000]),
                                   vocabulary=300 + len(specials))
            want = models.train(text, 44, specials, pattern, least, tie_break)
            self.assertEqual(tokenizer.merges, want,
                             f"trial {trial}: {text} {options} {pattern} {least} {tie_break}")


class Files(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = texts.prose(self.rng, 100_000)
        self.corpus = self.put("corpus.txt", self.text)

    def test_names_and_what_training_json_says(self):
        tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=600)
        files = formats.files_of(tokenizer.path)
        self.assertEqual(sorted(files), ["merges.txt", "pretokens.bin", "tokenizer.json", "tokenizer.tiktoken",
                                         "training.json", "vocab.json"])
        training = tokenizer.training
        self.assertEqual(training["run"]["inputs"][0][:2], [self.corpus, len(self.text)])
        self.assertEqual(training["run"]["options"]["vocab_size"], 600)
        self.assertEqual(training["run"]["options"]["specials"], [EOT])
        self.assertEqual(training["merges"], len(tokenizer.merges))
        self.assertTrue(training["unicode"].startswith("16.0"))
        words = models.words(self.text, [EOT])
        report = training["report"]
        self.assertEqual(report["bytes"], len(self.text))
        self.assertEqual(report["documents"], len(models.documents([self.text], EOT.encode(), "none", [EOT])))
        self.assertEqual((report["pretokens"], report["distinct_pretokens"]), (len(words), len(set(words))))
        self.assertGreater(report["peak_memory"], 100_000)
        self.assertTrue({"count", "merge", "train"} <= set(report["stage_seconds"]))
        longest = max((left + right for left, right in tokenizer.merges), key=len)
        self.assertEqual(len(formats.unspell(training["longest_tokens"][0])), len(longest))

    def test_files_agree_with_each_other(self):
        for place in ("first", "after-bytes", "last"):
            tokenizer = self.train(self.corpus, "--special", EOT, "--special", "<pad>", "--special-ids",
                                   place, vocabulary=500)
            whole = json.loads(read(tokenizer.path + "/tokenizer.json"))
            self.assertEqual(whole["model"]["vocab"], tokenizer.vocabulary)
            merges = [" ".join(merge) if isinstance(merge, list) else merge
                      for merge in whole["model"]["merges"]]
            self.assertEqual(merges, tokenizer.merge_lines)
            self.assertEqual({token["content"]: token["id"] for token in whole["added_tokens"]},
                             {special: tokenizer.vocabulary[special] for special in (EOT, "<pad>")})
            lines = read(tokenizer.path + "/tokenizer.tiktoken").decode().splitlines()
            ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
            plain = {formats.unspell(token): number for token, number in tokenizer.vocabulary.items()
                     if token not in (EOT, "<pad>")}
            self.assertEqual(ranks, plain)

    def test_every_form_gives_the_same_ids(self):
        tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=500)
        want = self.encode(self.corpus, tokenizer=tokenizer).ids
        self.assertEqual(self.encode(self.corpus, tokenizer=tokenizer.path + "/tokenizer.json").ids, want)
        pair = self.at("pair")
        for name in ("vocab.json", "merges.txt"):
            self.put(f"pair/{name}", read(f"{tokenizer.path}/{name}"))
        self.assertEqual(self.encode(self.corpus, "--special", EOT, tokenizer=pair).ids, want)
        self.assertEqual(self.encode(self.corpus, "--special", EOT, tokenizer=pair + "/vocab.json").ids, want)

    def test_counts_instead_of_a_corpus(self):
        for pattern in ("gpt2", "whitespace"):
            options = ("--special", EOT, "--pattern", pattern)
            table = self.new("table")
            self.tokmill("count", self.corpus, *options, "-o", table)
            direct = self.train(self.corpus, *options, vocabulary=500)
            counted = self.train("--counts", table, vocabulary=500)
            self.assertEqual(counted.tables(), direct.tables())
            self.fails("train", "--counts", table, "--vocab-size", 500, "--special", "other", "-o",
                       self.at("x"), says=["table", "special"])
        self.fails("train", self.corpus, "--vocab-size", 500, "--counts", table, "-o", self.at("x"), code=2,
                   says="--counts")


class Peers(tokmill.TestCase):
    SPECIALS = [EOT, EOT + EOT, "<|pad|>", "my token"]
    TEXTS = NASTY + ["x" + EOT + " y" + EOT * 2 + "z" + EOT * 3 + "<|pad|>", "my token my  token",
                     "<|pad|><|pad|>"]

    def compare(self, pattern, script):
        rng_text = texts.prose(self.rng, 150_000, separator="")
        corpus = self.put("corpus.txt", "\n".join(NASTY).encode() * 3 + rng_text)
        options = [part for special in self.SPECIALS for part in ("--special", special)]
        tokenizer = self.train(corpus, *options, "--pattern", pattern, vocabulary=700)
        samples = self.TEXTS + [rng_text.decode()[i:i + 300] for i in range(0, 60_000, 300)]
        specials = {special: tokenizer.vocabulary[special] for special in self.SPECIALS}
        answer = self.peers(script, {"path": tokenizer.path, "texts": samples, "specials": specials,
                                     "pattern": tokmill.GPT2_PATTERN})
        files = [self.put(f"texts/{i:04}.txt", text) for i, text in enumerate(samples)]
        ids = self.encode(self.at("texts"), "--eot", "none", "--eot-token", EOT, tokenizer=tokenizer).ids
        at = 0
        for path, want in zip(files, answer):
            self.assertEqual(ids[at:at + len(want)], want, read(path))
            at += len(want)
        self.assertEqual(at, len(ids))

    @tokmill.needs_peers
    def test_hugging_face_tokenizers(self):
        for pattern in ("gpt2", "whitespace", "none"):
            with self.subTest(pattern=pattern):
                self.compare(pattern, "from tokenizers import Tokenizer\n"
                                      "tokenizer = Tokenizer.from_file(question['path'] + '/tokenizer.json')\n"
                                      "answer = [tokenizer.encode(text).ids for text in question['texts']]")

    @tokmill.needs_peers
    def test_what_hugging_face_learns(self):
        """With --tie-break hf the vocabulary is that of BpeTrainer, id for id."""
        text = texts.prose(self.rng, 100_000)
        tokenizer = self.train(self.put("corpus.txt", text), "--special", EOT, "--special", "<|pad|>",
                               "--tie-break", "hf", vocabulary=2_000)
        documents = text.decode().split(EOT)
        answer = self.peers("""
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=question['specials'], show_progress=False,
                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
tokenizer.train_from_iterator(question['documents'], trainer)
answer = json.loads(tokenizer.to_str())['model']""", {"documents": documents, "specials": [EOT, "<|pad|>"]})
        self.assertEqual([" ".join(merge) for merge in answer["merges"]], tokenizer.merge_lines)
        self.assertEqual(answer["vocab"], tokenizer.vocabulary)

    @tokmill.needs_peers
    def test_tiktoken(self):
        self.compare("gpt2", """
import tiktoken
from tiktoken.load import load_tiktoken_bpe
ranks = load_tiktoken_bpe(question['path'] + '/tokenizer.tiktoken')
encoding = tiktoken.Encoding('test', pat_str=question['pattern'], mergeable_ranks=ranks,
                             special_tokens=question['specials'])
answer = [encoding.encode(text, allowed_special='all') for text in question['texts']]""")


class Golden(tokmill.TestCase):
    def test_known_bytes(self):
        """A changed hash is a decision rather than an accident."""
        text = " ".join(str(i * i) for i in range(3000)) + EOT + "\n".join(NASTY)
        tokenizer = self.train(self.put("text.txt", text), "--special", EOT, vocabulary=400)
        digest = hashlib.sha256(b"".join(data for _, data in sorted(tokenizer.tables().items()))).hexdigest()
        self.assertEqual(digest[:16], "501d5d26a69dd0a7")


if __name__ == "__main__":
    unittest.main()
