"""What goes wrong gets one line that names it, exit code 1, and leaves nothing half-written."""
import contextlib
import gzip
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

import tokmill
from tokmill import EOT, NOBODY, PROGRAM

QUIET = ("--progress", "none")


class Failures(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        self.text = tokmill.prose(self.rng, 500_000)
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
        return [name for name in tokmill.files_of(path) if not name.startswith((".run", "shard-"))]


class Outputs(Failures):
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
        for size, verbs in (("8K", self.verbs(self.corpus)), ("16K", self.verbs(noise)), ("200K", self.verbs(noise)[1:])):
            with self.small_disk(size) as disk:
                for verb in verbs:
                    out = disk + "/out"
                    self.fails(*verb, "-o", out, says=[disk, "No space left"])
                    self.assertEqual(self.final_names(out), [], verb[0])
                    self.assertFalse([name for name in tokmill.files_of(disk) if name.endswith(".partial")])
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
            self.assertEqual(tokmill.Tokenizer(disk + "/out").tables(), want.tables())

    def test_file_size_limit(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        for verb in (*self.verbs(self.corpus), ("decode", self.shards)):
            out = self.new("out")
            self.fails(*verb, "-o", out, says=[out, "File too large"], preexec_fn=limit)
            self.assertEqual(self.final_names(out), [], verb[0])

    def test_full_standard_output(self):
        for arguments in (("decode", self.shards), ("inspect", self.shards), ("inspect", self.table, "--json"), ("--help",), ("--version",),
                          ("verify", self.shards, "--json", *QUIET), ("train", "--help"),
                          ("train", self.corpus, "--vocab-size", 300, "--json", *QUIET, "-o", self.new("out"))):
            with open("/dev/full", "wb") as full:
                self.fails(*arguments, says="standard output", stdout=full)

    def test_output_that_cannot_be_made(self):
        self.put("a-file", b"mine")
        for verb in self.verbs(self.corpus):
            self.fails(*verb, "-o", self.at("a-file/out"), says="a-file")
            if verb[0] != "count":
                self.fails(*verb, "-o", self.at("a-file"), says="a-file")
        self.fails("decode", self.shards, "-o", self.at("nowhere/out"), says="nowhere/out")
        self.assertEqual(tokmill.read(self.at("a-file")), b"mine")

    def test_directory_in_the_place_of_a_file(self):
        os.mkdir(self.at("here"))
        for verb in (self.verbs(self.corpus)[1], ("decode", self.shards), ("merge", self.table)):
            before = sorted(os.listdir(self.directory))
            self.fails(*verb, "-o", self.at("here"), says=[self.at("here"), "directory"])
            self.assertEqual(os.listdir(self.at("here")), [])
            self.assertEqual(sorted(os.listdir(self.directory)), before, verb)

    def test_shards_and_a_tokenizer_in_one_directory(self):
        """Neither verb writes over the other's results."""
        self.fails("encode", self.corpus, "--tokenizer", self.tokenizer, *QUIET, "-o", self.tokenizer, says=self.tokenizer)
        self.fails("train", self.corpus, "--vocab-size", 300, *QUIET, "-o", self.shards, says=self.shards)
        self.tokmill("verify", self.tokenizer)
        self.tokmill("verify", self.shards, "--against", self.corpus)

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody who may not write")
    def test_output_that_may_not_be_written(self):
        if subprocess.run([PROGRAM, "--version"], user=NOBODY, capture_output=True, check=False).returncode:
            self.skipTest("the program cannot be run by another user")
        os.mkdir(self.at("closed"), 0o755)
        for verb in (*self.verbs(self.corpus), ("decode", self.shards)):
            self.fails(*verb, "-o", self.at("closed/out"), says=["closed/out", "Permission denied"], user=NOBODY)
        self.assertEqual(os.listdir(self.at("closed")), [])


class Inputs(Failures):
    def test_missing(self):
        missing = self.at("nowhere.txt")
        for corpus in (missing, self.at("*.none"), self.at("no/such/dir"), "@" + self.at("list")):
            for verb in self.verbs(corpus):
                self.fails(*verb, "-o", self.at("out"), says=corpus.lstrip("@"))
                self.fails(verb[0], self.corpus, *verb[1:], "-o", self.at("out"), says=corpus.lstrip("@"))
        self.fails("encode", self.corpus, "--tokenizer", missing, "-o", self.at("out"), says=missing)
        for verb in (("decode", missing, "--tokenizer", self.tokenizer), ("verify", missing), ("inspect", missing), ("merge", missing, "-o", self.at("out"))):
            self.fails(*verb, says=missing)
        self.assertFalse(os.path.exists(self.at("out")))

    def test_named_in_a_list(self):
        listed = self.put("list.txt", f"{self.corpus}\n{self.at('gone.txt')}\n")
        for verb in self.verbs("@" + listed):
            self.fails(*verb, "-o", self.at("out"), says="gone.txt")
        self.fails("count", "@" + self.put("loop.txt", "@" + self.at("loop.txt")), "-o", self.at("out"), says="nested")

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
        self.fails("count", self.at("secret"), "-o", self.at("open/out"), says=["secret", "Permission denied"], user=NOBODY)
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
                        if path.encode() in tokmill.read(f"/proc/{child}/maps"):
                            os.kill(child, signal.SIGSTOP)
                            if path.encode() in tokmill.read(f"/proc/{child}/maps"):
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
        for data, says in ((self.text + b"x", "bytes of text"), (b"x" + self.text[1:], "byte 0"), (self.text[:-1] + b"#", "text from here on")):
            other = self.put("other.txt", data)
            self.fails("verify", self.shards, *QUIET, "--against", other, says=says)
        self.fails("verify", self.shards, *QUIET, "--against", self.corpus, self.corpus, says="2")


class Usage(Failures):
    def test_wrong_usage(self):
        out = ("-o", self.at("out"))
        encode = ("encode", self.corpus, "--tokenizer", self.tokenizer)
        for arguments, says in (
                ((), "verb"), (("nonsense",), "nonsense"), (("train",), "--vocab-size"), (("train", "--vocab-size", 300, *out), "CORPUS"),
                (("train", self.corpus, "--vocab-size", 300), "--output"), (("train", self.corpus, "--vocab-size", 255, *out), "255"),
                (("train", self.corpus, "--vocab-size", 256, "--special", EOT, *out), "257"), (("train", self.corpus, "--vocab-size", "many", *out), "many"),
                (("train", self.corpus, "--vocab-size", -1, *out), "-1"), (("train", self.corpus, "--vocab-size", 300, "--pattern", "gpt9", *out), "gpt9"),
                (("train", self.corpus, "--vocab-size", 300, "--special-ids", "middle", *out), "middle"),
                (("train", self.corpus, "--vocab-size", 300, "--min-frequency", 0, *out), "--min-frequency"),
                (("train", self.corpus, "--vocab-size", 300, "--vocab-size", 301, *out), "vocab-size"),
                (("train", self.corpus, "--vocab-size", 300, "--progress", "loud", *out), "loud"),
                (("train", self.corpus, "--vocab-size", 300, "-j", 0, *out), "--jobs"), (("train", self.corpus, "--vocab-size", 300, "-j", "two", *out), "two"),
                (("train", self.corpus, "--vocab-size", 300, "-S", "lots", *out), "lots"), (("train", self.corpus, "--vocab-size", 300, "--shard-size", 0, *out), "--shard-size"),
                (("train", self.corpus, "--vocab-size", 300, "--shard-size", "5X", *out), "5X"), (("train", self.corpus, "--vocab", 300, *out), "--vocab"),
                (("count", self.corpus), "--output"), (("count", *out), "CORPUS"), (("count", self.corpus, "--loud", *out), "--loud"),
                (("encode", self.corpus, *out), "--tokenizer"), (("encode", self.corpus, "--tokenizer", self.tokenizer), "--output"),
                ((*encode, "--eot", "maybe", *out), "maybe"), ((*encode, "--dtype", "int8", *out), "int8"), ((*encode, "--format", "npy", *out), "npy"),
                ((*encode, "--level", 99, *out), "--level"), ((*encode, "--frame-size", 10, *out), "--frame-size"), ((*encode, "--frame-size", 1025, *out), "--frame-size"),
                (("decode",), "SHARDS_DIR"), (("decode", self.shards, self.shards), "only one"), (("decode", self.shards, "--errors", "ignore"), "ignore"),
                (("merge", self.table), "--output"), (("merge", *out), "TABLE"), (("verify",), "SHARDS_DIR"), (("inspect",), "PATH"),
                (("verify", self.table, "--against", self.corpus), "--against")):
            with self.subTest(arguments=arguments[:1] + arguments[2:]):
                self.fails(*arguments, code=2, says=says)
        self.assertFalse(os.path.exists(self.at("out")))

    def test_help(self):
        run = "help jobs memory tmp progress json quiet".split()
        corpus = "special pattern shard-size".split()
        for verb, options in {
                "train": ["vocab-size", *corpus, "special-ids", "min-frequency", "counts", "output", *run],
                "encode": ["tokenizer", "special", "eot", "eot-token", "shard-size", "dtype", "format", "level", "frame-size", "dry-run", "output", *run],
                "decode": ["tokenizer", "special", "errors", "dtype", "output", "help"], "count": [*corpus, "output", *run],
                "merge": ["output", *run], "verify": ["against", *run], "inspect": ["json", "html", "help"]}.items():
            for flag in ("--help", "-h"):
                text = self.tokmill(verb, flag).stdout.decode()
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
