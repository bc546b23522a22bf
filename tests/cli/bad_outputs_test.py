"""What cannot be written gets one line that names it, exit code 1, and leaves nothing half-written."""
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import unittest

import formats
from failures import QUIET, Failures
from tokmill import NOBODY, PROGRAM


class BadOutputs(Failures):
    @contextlib.contextmanager
    def small_disk(self, size):
        """A file system of that size."""
        place = self.at("disk")
        os.mkdir(place)
        if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place],
                                              capture_output=True, check=False).returncode:
            self.skipTest("no small file system can be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)

    def test_full_disk(self):
        noise = self.put("noise", self.rng.randbytes(400_000))
        for size, verbs in (("8K", self.verbs(self.corpus)), ("16K", self.verbs(noise)),
                            ("200K", self.verbs(noise)[1:])):
            with self.small_disk(size) as disk:
                for verb in verbs:
                    out = disk + "/out"
                    self.fails(*verb, "-o", out, says=[disk, "No space left"])
                    self.assertEqual(self.final_names(out), [], verb[0])
                    self.assertFalse([name for name in formats.files_of(disk) if name.endswith(".partial")])
                    shutil.rmtree(out, ignore_errors=True)
                if size == "8K":
                    for verb in (("decode", self.shards), ("merge", self.table)):
                        self.fails(*verb, "-o", out, says=[disk, "No space left"])
                        self.assertEqual(os.listdir(disk), [])
            os.rmdir(disk)

    def test_full_disk_then_room(self):
        """The same command goes on when there is room."""
        want = self.train(self.corpus, vocabulary=300)
        with self.small_disk("16K") as disk:
            command = ("train", self.corpus, "--vocab-size", 300, *QUIET, "-o", disk + "/out")
            self.fails(*command, says="No space left")
            subprocess.run(["mount", "-o", "remount,size=16M", disk], check=True)
            self.tokmill(*command)
            self.assertEqual(formats.Tokenizer(disk + "/out").tables(), want.tables())

    def test_file_size_limit(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        for verb in (*self.verbs(self.corpus), ("decode", self.shards)):
            out = self.new("out")
            self.fails(*verb, "-o", out, says=[out, "File too large"], preexec_fn=limit)
            self.assertEqual(self.final_names(out), [], verb[0])

    def test_full_standard_output(self):
        for arguments in (("decode", self.shards), ("inspect", self.shards),
                          ("inspect", self.table, "--json"), ("--help",), ("--version",),
                          ("verify", self.shards, "--json", *QUIET), ("train", "--help"),
                          ("train", self.corpus, "--vocab-size", 300, "--json", *QUIET, "-o",
                           self.new("out"))):
            with open("/dev/full", "wb") as full:
                self.fails(*arguments, says="standard output", stdout=full)

    def test_output_that_cannot_be_made(self):
        self.put("a-file", b"mine")
        for verb in self.verbs(self.corpus):
            self.fails(*verb, "-o", self.at("a-file/out"), says="a-file")
            if verb[0] != "count":
                self.fails(*verb, "-o", self.at("a-file"), says="a-file")
        self.fails("decode", self.shards, "-o", self.at("nowhere/out"), says="nowhere/out")
        self.assertEqual(formats.read(self.at("a-file")), b"mine")

    def test_directory_in_the_place_of_a_file(self):
        os.mkdir(self.at("here"))
        for verb in (self.verbs(self.corpus)[1], ("decode", self.shards), ("merge", self.table)):
            before = sorted(os.listdir(self.directory))
            self.fails(*verb, "-o", self.at("here"), says=[self.at("here"), "directory"])
            self.assertEqual(os.listdir(self.at("here")), [])
            self.assertEqual(sorted(os.listdir(self.directory)), before, verb)

    def test_shards_and_a_tokenizer_in_one_directory(self):
        """Neither verb writes over the other's results."""
        self.fails("encode", self.corpus, "--tokenizer", self.tokenizer, *QUIET, "-o", self.tokenizer,
                   says=self.tokenizer)
        self.fails("train", self.corpus, "--vocab-size", 300, *QUIET, "-o", self.shards, says=self.shards)
        self.tokmill("verify", self.tokenizer)
        self.tokmill("verify", self.shards, "--against", self.corpus)

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody who may not write")
    def test_output_that_may_not_be_written(self):
        if subprocess.run([PROGRAM, "--version"], user=NOBODY, capture_output=True, check=False).returncode:
            self.skipTest("the program cannot be run by another user")
        os.mkdir(self.at("closed"), 0o755)
        for verb in (*self.verbs(self.corpus), ("decode", self.shards)):
            self.fails(*verb, "-o", self.at("closed/out"), says=["closed/out", "Permission denied"],
                       user=NOBODY)
        self.assertEqual(os.listdir(self.at("closed")), [])


if __name__ == "__main__":
    unittest.main()
