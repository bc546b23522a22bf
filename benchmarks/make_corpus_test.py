#!/usr/bin/env python3
"""make_corpus: the same text everywhere, every size the beginning of the next, distinct pretokens by the law.

env MAKE_CORPUS, TOKMILL    the programs
"""
import hashlib
import json
import os
import subprocess
import tempfile
import unittest

MAKE_CORPUS, TOKMILL = os.environ["MAKE_CORPUS"], os.environ["TOKMILL"]
EOT = b"<|endoftext|>"


def run(*arguments):
    return subprocess.run([MAKE_CORPUS, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)


def make(size, *arguments):
    done = run("--bytes", size, *arguments)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


class MakeCorpusTest(unittest.TestCase):
    def test_the_text_is_the_same_everywhere(self):
        # A changed hash is a decision: figures measured with the texts of before are then of other texts.
        self.assertEqual(hashlib.sha256(make("1M", "--seed", 1)).hexdigest(),
                         "aabbf7eb0a7e461b8216887d5376f9d114a2460c1a8d1807b158a45f57e16608")

    def test_another_seed_is_another_text_of_the_same_words(self):
        one, two = make("1M", "--seed", 1), make("1M", "--seed", 2)
        self.assertEqual(one, make("1M"))
        self.assertNotEqual(one[:100], two[:100])
        common = set(one.split()) & set(two.split())
        self.assertGreater(sum(word in common for word in two.split()), 0.85 * len(two.split()))

    def test_every_size_is_the_beginning_of_a_larger_one(self):
        text = make(100_000)
        self.assertEqual(len(text), 100_000)
        end = text.index(EOT) + len(EOT)
        inside = text.index("\u2019".encode()) + 1
        for size in [0, 1, end - len(EOT), end - 1, end, end + 1, *range(inside - 1, inside + 3), 77_777]:
            part = make(size)
            self.assertEqual(part, text[:len(part)])
            # Shorter only so that no character is cut.
            self.assertEqual(part.decode(), text[:size].decode(errors="ignore"))

    def test_documents(self):
        documents = make("4M").split(EOT)[:-1]
        for document in documents:
            self.assertTrue(3000 <= len(document) <= 6100 and document[-1:] not in b" ", document)
        self.assertLess(abs(sum(map(len, documents)) / len(documents) - 4000), 150)

    def test_the_pretokens_are_those_of_web_text(self):
        with tempfile.TemporaryDirectory() as directory:
            for size in [1_000_000, 10_000_000]:
                path = os.path.join(directory, str(size))
                with open(path, "wb") as file:
                    file.write(make(size))
                table = path + ".table"
                subprocess.run([TOKMILL, "count", path, "--special", EOT, "--quiet", "-o", table], check=True)
                table = json.loads(subprocess.check_output([TOKMILL, "inspect", table, "--json"]))
                self.assertLess(abs(table["distinct"] / (3.45 * size ** 0.62) - 1), 0.03)
                self.assertLess(abs(size / table["pretokens"] - 4.8), 0.1)
                counts = [entry["count"] / table["pretokens"] for entry in table["most_frequent"]]
                self.assertTrue(0.03 < counts[0] < 0.07 and sum(counts[:10]) > 0.2, counts)

    def test_what_cannot_be_done(self):
        for arguments in [[], ["--bytes"], ["--bytes", "many"], ["--bytes", 1, "--seed", "x"],
                          ["--bytes", 1, "--seed", -1], ["--size", 1]]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertRegex(done.stderr, rb"\Amake_corpus: [^\n]+\n\Z")
        self.assertIn(b"usage", run("--help").stdout)

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "wb") as full:
            for size in [100, 10_000_000]:
                done = subprocess.run([MAKE_CORPUS, "--bytes", str(size)], stdout=full, stderr=subprocess.PIPE,
                                      check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
