"""What cannot be read, or changes while it is read, gets one line that names it and exit code 1."""
import contextlib
import gzip
import os
import shutil
import signal
import subprocess
import unittest

import formats
import tokmill
from failures import QUIET, Failures
from tokmill import NOBODY, PROGRAM


class BadInputs(Failures):
    def test_missing(self):
        missing = self.at("nowhere.txt")
        for corpus in (missing, self.at("*.none"), self.at("no/such/dir"), "@" + self.at("list")):
            for verb in self.verbs(corpus):
                self.fails(*verb, "-o", self.at("out"), says=corpus.lstrip("@"))
                self.fails(verb[0], self.corpus, *verb[1:], "-o", self.at("out"), says=corpus.lstrip("@"))
        self.fails("encode", self.corpus, "--tokenizer", missing, "-o", self.at("out"), says=missing)
        for verb in (("decode", missing, "--tokenizer", self.tokenizer), ("verify", missing),
                     ("inspect", missing), ("merge", missing, "-o", self.at("out"))):
            self.fails(*verb, says=missing)
        self.assertFalse(os.path.exists(self.at("out")))

    def test_named_in_a_list(self):
        listed = self.put("list.txt", f"{self.corpus}\n{self.at('gone.txt')}\n")
        for verb in self.verbs("@" + listed):
            self.fails(*verb, "-o", self.at("out"), says="gone.txt")
        self.fails("count", "@" + self.put("loop.txt", "@" + self.at("loop.txt")), "-o", self.at("out"),
                   says="nested")

    def test_compressed_and_standard_input(self):
        packed = self.put("text.txt.gz", gzip.compress(b"text"))
        frame = self.put("text.zst", b"\x28\xb5\x2f\xfd rest")
        for verb in self.verbs(packed):
            self.fails(*verb, "-o", self.at("out"), says=[packed, "compressed"])
        self.fails("count", frame, "-o", self.at("out"), says=[frame, "compressed"])
        self.fails("count", "-", "-o", self.at("out"), says="standard input")

    def test_no_files(self):
        os.mkdir(self.at("empty"))
        for verb in self.verbs(self.at("empty")):
            self.fails(*verb, "-o", self.at("out"), says="no files")
        self.fails("count", "@" + self.put("list", "\n\n"), "-o", self.at("out"), says="no files")

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody who may not read")
    def test_unreadable(self):
        if subprocess.run([PROGRAM, "--version"], user=NOBODY, capture_output=True, check=False).returncode:
            self.skipTest("the program cannot be run by another user")
        secret = self.put("secret/text.txt", b"x")
        os.chmod(secret, 0o600)
        os.mkdir(self.at("open"))
        os.chmod(self.at("open"), 0o777)
        for corpus in (secret, self.at("secret")):
            for verb in self.verbs(corpus):
                self.fails(*verb, "-o", self.at("open/out"), says=[secret, "Permission denied"], user=NOBODY)
        os.chmod(self.at("secret"), 0o700)
        self.fails("count", self.at("secret"), "-o", self.at("open/out"),
                   says=["secret", "Permission denied"], user=NOBODY)
        self.assertEqual(os.listdir(self.at("open")), [])

    def test_devices_and_pipes(self):
        """They are not files that can be mapped; a run must not hang on them."""
        os.mkfifo(self.at("pipe"))
        for path in (self.at("pipe"), "/dev/null", "/dev/zero"):
            self.fails("count", path, *QUIET, "-o", self.at("out"), says=path, timeout=20)
            self.assertFalse(os.path.exists(self.at("out")))


class ChangingInputs(Failures):
    """The corpus changes under a worker, which is stopped while that is done."""

    def stopped_while_reading(self, command, path):
        """A run whose only worker stands still with `path` mapped."""
        for _ in range(50):
            process = self.start(*command)
            while process.poll() is None:
                for child in tokmill.children_of(process.pid):
                    with contextlib.suppress(OSError):
                        if path.encode() in formats.read(f"/proc/{child}/maps"):
                            os.kill(child, signal.SIGSTOP)
                            if path.encode() in formats.read(f"/proc/{child}/maps"):
                                return process, child
                            os.kill(child, signal.SIGCONT)
            tokmill.end_group(process)
            shutil.rmtree(command[-1], ignore_errors=True)
        return self.skipTest("the worker was always faster")

    def go_on(self, process, child, says):
        os.kill(child, signal.SIGCONT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said.decode(), r"\Atokmill: [^\n]+\n\Z")
        for words in says:
            self.assertIn(words, said.decode())

    def test_cut_short_while_it_is_read(self):
        big = self.put("big.txt", self.text * 60)
        for verb in self.verbs(big):
            command = (*verb, "-j", 1, "-o", self.new("out"))
            process, child = self.stopped_while_reading(command, big)
            os.truncate(big, 5000)
            self.go_on(process, child, [big, "shorter"])
            self.assertEqual(self.final_names(command[-1]), [], verb[0])
            self.put("big.txt", self.text * 60)

    def test_changed_between_two_looks(self):
        first, second = self.put("1.txt", self.text * 20), self.put("2.txt", self.text)
        for verb in self.verbs(self.at("[12].txt")):
            command = (*verb, "-j", 1, "--shard-size", "10M", "-o", self.new("out"))
            process, child = self.stopped_while_reading(command, first)
            with open(second, "ab") as file:
                file.write(b"more")
            self.go_on(process, child, [second, "changed"])
            self.assertEqual(self.final_names(command[-1]), [], verb[0])

    def test_removed_while_the_run_goes_on(self):
        first, second = self.put("1.txt", self.text * 20), self.put("2.txt", self.text)
        command = (*self.verbs(self.at("[12].txt"))[2], "-j", 1, "--shard-size", "10M", "-o", self.at("out"))
        process, child = self.stopped_while_reading(command, first)
        os.unlink(second)
        self.go_on(process, child, [second])

    def test_against_a_corpus_that_changed(self):
        for data, says in ((self.text + b"x", "bytes of text"), (b"x" + self.text[1:], "byte 0"),
                           (self.text[:-1] + b"#", "text from here on")):
            other = self.put("other.txt", data)
            self.fails("verify", self.shards, *QUIET, "--against", other, says=says)
        self.fails("verify", self.shards, *QUIET, "--against", self.corpus, self.corpus, says="2")


if __name__ == "__main__":
    unittest.main()
