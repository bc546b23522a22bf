"""Wrong usage ends with exit code 2 and says what to give; help tells of every option."""
import os
import time
import unittest

import tokmill
from failures import Failures
from tokmill import EOT


class Usage(Failures):
    def test_wrong_usage(self):
        out = ("-o", self.at("out"))
        train = ("train", self.corpus, *out, "--vocab-size", 300)
        encode = ("encode", self.corpus, *out, "--tokenizer", self.tokenizer)
        for arguments, says in (
                ((), "verb"),
                (("nonsense",), "nonsense"),
                (("train",), "--vocab-size"),
                (("train", "--vocab-size", 300, *out), "CORPUS"),
                (("train", self.corpus, "--vocab-size", 300), "--output"),
                (("train", self.corpus, "--vocab-size", 255, *out), "255"),
                (("train", self.corpus, "--vocab-size", 256, "--special", EOT, *out), "257"),
                (("train", self.corpus, "--vocab-size", "many", *out), "many"),
                (("train", self.corpus, "--vocab-size", -1, *out), "-1"),
                (("train", self.corpus, "--vocab", 300, *out), "--vocab"),
                ((*train, "--vocab-size", 301), "vocab-size"),
                ((*train, "--pattern", "gpt9"), "gpt9"),
                ((*train, "--special-ids", "middle"), "middle"),
                ((*train, "--min-frequency", 0), "--min-frequency"),
                ((*train, "--tie-break", "ids"), "ids"),
                ((*train, "--tie-break", ""), "bytes or hf"),
                ((*train, "--checkpoint", "soon"), "soon"),
                ((*train, "--checkpoint", "-1"), "-1"),
                ((*train, "--checkpoint", "5d"), "90s, 10m, 1h, or off"),
                ((*train, "--checkpoint", ""), "--checkpoint"),
                ((*train, "--checkpoint", "nan"), "nan"),
                ((*train, "--progress", "loud"), "loud"),
                ((*train, "-j", 0), "--jobs"),
                ((*train, "-j", "two"), "two"),
                ((*train, "-S", "lots"), "lots"),
                ((*train, "--shard-size", 0), "--shard-size"),
                ((*train, "--shard-size", "5X"), "5X"),
                (("count", self.corpus), "--output"),
                (("count", *out), "CORPUS"),
                (("count", self.corpus, "--loud", *out), "--loud"),
                (("encode", self.corpus, *out), "--tokenizer"),
                (("encode", self.corpus, "--tokenizer", self.tokenizer), "--output"),
                ((*encode, "--eot", "maybe"), "maybe"),
                ((*encode, "--dtype", "int8"), "int8"),
                ((*encode, "--format", "npy"), "npy"),
                ((*encode, "--level", 99), "--level"),
                ((*encode, "--frame-size", 10), "--frame-size"),
                ((*encode, "--frame-size", 1025), "--frame-size"),
                (("decode",), "SHARDS_DIR"),
                (("decode", self.shards, self.shards), "only one"),
                (("decode", self.shards, "--errors", "ignore"), "ignore"),
                (("merge", self.table), "--output"),
                (("merge", *out), "TABLE"),
                (("verify",), "SHARDS_DIR"),
                (("verify", self.table, "--against", self.corpus), "--against"),
                (("inspect",), "PATH")):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, code=2, says=says)
        self.assertFalse(os.path.exists(self.at("out")))

    def test_help(self):
        run = "help jobs memory tmp progress json quiet".split()
        corpus = "special pattern shard-size".split()
        for verb, options in {
                "train": ["vocab-size", *corpus, "special-ids", "min-frequency", "tie-break", "checkpoint",
                          "counts", "output", *run],
                "encode": ["tokenizer", "special", "eot", "eot-token", "shard-size", "dtype", "format",
                           "level", "frame-size", "dry-run", "output", *run],
                "decode": ["tokenizer", "special", "errors", "dtype", "output", "help"],
                "count": [*corpus, "output", *run], "merge": ["output", *run], "verify": ["against", *run],
                "inspect": ["json", "html", "help"]}.items():
            text = self.tokmill(verb, "--help").stdout.decode()
            self.assertEqual(self.tokmill(verb, "-h").stdout.decode(), text)
            self.assertEqual(sorted(tokmill.options_in(text)), sorted(options), verb)
            self.assertRegex(text, rf"\Ausage: tokmill {verb} ")
            self.assertRegex(text, rf"\nExample:\n  tokmill {verb} ")
        text = self.tokmill("--help").stdout.decode()
        for word in ("train", "encode", "decode", "count", "merge", "verify", "inspect", "75"):
            self.assertIn(word, text)
        self.assertEqual(self.tokmill("help").stdout.decode(), text)
        self.assertRegex(self.tokmill("--version").stdout.decode(), r"\Atokmill \d+\.\d+\.\d+, Unicode 16\.0")

    def test_reader_that_goes_away(self):
        """`tokmill decode ... | head` ends at once and says nothing."""
        process = self.start("decode", self.shards)
        process.stdout.read(10)
        process.stdout.close()
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertNotIn(process.returncode, (None, 0))


if __name__ == "__main__":
    unittest.main()
