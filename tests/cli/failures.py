"""What the tests of runs that fail share."""
import os

import formats
import texts
import tokmill
from tokmill import EOT

QUIET = ("--progress", "none")


class Failures(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        self.text = texts.prose(self.rng, 500_000)
        self.corpus = self.put("corpus.txt", self.text)
        self.tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=300).path
        self.shards = self.encode(self.corpus, tokenizer=self.tokenizer).path
        self.table = self.at("counts.table")
        self.tokmill("count", self.corpus, "-o", self.table)

    def verbs(self, corpus):
        """The verbs that read a corpus, but for the output."""
        return [("train", corpus, "--vocab-size", 300, *QUIET), ("count", corpus, *QUIET),
                ("encode", corpus, "--tokenizer", self.tokenizer, *QUIET)]

    def final_names(self, path):
        """What a failed run left at its output, but for the directory and what helps to go on."""
        if not os.path.isdir(path):
            return [path] if os.path.exists(path) else []
        return [name for name in formats.files_of(path) if not name.startswith((".run", "shard-"))]
