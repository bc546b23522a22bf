"""A run that is stopped at any moment goes on with the same command, and ends in the same bytes."""
import os
import shutil
import signal
import time
import unittest

import formats
import texts
import tokmill
from formats import files_of
from tokmill import EOT, scaled

QUIET = ("--progress", "none")


class Resume(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.corpus = self.put("corpus.txt", texts.prose(self.rng, 6_000_000))
        self.tokenizer = self.train(self.corpus, "--special", EOT, vocabulary=1000).path
        self.larger = self.put("larger.txt", formats.read(self.corpus) * 4)  # one shard, of three parts

    def commands(self):
        """Each verb's command, but for its output."""
        return {
            "encode": ("encode", self.corpus, "--tokenizer", self.tokenizer, "--shard-size", "100K", "-j", 2,
                       *QUIET),
            "encode in parts": ("encode", self.larger, "--tokenizer", self.tokenizer, "-j", 2, *QUIET),
            "encode to bin": ("encode", self.corpus, "--tokenizer", self.tokenizer, "--shard-size", "1M",
                              "--format", "bin", *QUIET),
            "train": ("train", self.corpus, "--vocab-size", 4000, "--special", EOT, "--shard-size", "100K",
                      "-j", 2, *QUIET),
            "count": ("count", self.corpus, "--special", EOT, "--shard-size", "200K", "-j", 2, *QUIET),
        }

    def results(self, path):
        """What must be the same after any interruption; nothing but final names may be left."""
        if not os.path.isdir(path):
            self.assertFalse([name for name in os.listdir(self.directory)
                              if name.startswith(os.path.basename(path) + ".")])
            return {"": formats.read(path)}
        files = files_of(path)
        self.assertFalse([name for name in files if name.endswith(".partial") or name.startswith(".run")],
                         "left behind")
        self.assertFalse(os.path.exists(path + "/.run"))
        files.pop("training.json", None)
        return files

    def reference(self, command):
        """(results, seconds) of an undisturbed run."""
        path, began = self.new("reference"), time.monotonic()
        self.tokmill(*command, "-o", path)
        return self.results(path), time.monotonic() - began

    def assert_same(self, path, want):
        got = self.results(path)
        self.assertEqual(sorted(got), sorted(want))
        for name, data in want.items():
            self.assertEqual(got[name], data, f"{name} differs")

    def test_killed_at_random_moments(self):
        for verb, command in self.commands().items():
            want, seconds = self.reference(command)
            for _ in range(scaled(12)):
                path = self.new("out")
                kills = self.rng.randint(1, 4)
                for _ in range(kills):
                    process = self.start(*command, "-o", path)
                    time.sleep(self.rng.uniform(0, 1.1 * seconds))
                    tokmill.end_group(process)
                with self.subTest(verb=verb):
                    self.tokmill(*command, "-o", path)
                    self.assert_same(path, want)
                shutil.rmtree(path, ignore_errors=True)

    def test_goes_on_with_another_number_of_workers(self):
        """Who encodes which part of a shard is then another matter."""
        text = formats.read(self.corpus)
        text *= 52_000_000 // len(text) + 1
        command = ("encode", self.put("three shards.txt", text), "--tokenizer", self.tokenizer,
                   "--shard-size", len(text) // 3 + 1, *QUIET)
        want, seconds = self.reference((*command, "-j", 1))
        for _ in range(scaled(8)):
            path = self.new("out")
            numbers = self.rng.sample((1, 2, 3, 4), k=3)
            for jobs in numbers[1:]:
                process = self.start(*command, "-j", jobs, "-o", path)
                time.sleep(self.rng.uniform(0, seconds))
                tokmill.end_group(process)
            with self.subTest(numbers=numbers):
                self.tokmill(*command, "-j", numbers[0], "-o", path)
                self.assert_same(path, want)
            shutil.rmtree(path, ignore_errors=True)

    def test_killed_without_its_workers(self):
        """Workers do not outlive the run."""
        command = self.commands()["encode"]
        want, seconds = self.reference(command)
        for _ in range(scaled(5)):
            path = self.new("out")
            process = self.start(*command, "-o", path)
            time.sleep(self.rng.uniform(0, seconds))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            deadline = time.monotonic() + 10
            while tokmill.processes_of_group(process.pid) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(tokmill.processes_of_group(process.pid), [])
            self.tokmill(*command, "-o", path)
            self.assert_same(path, want)

    def test_interrupted(self):
        for number, (verb, command) in zip((signal.SIGINT, signal.SIGTERM) * 2, self.commands().items()):
            want, _ = self.reference(command)
            for to_all in (False, True):
                for _ in range(20):
                    path = self.new("out")
                    process = self.start(*command, "-o", path)
                    while not tokmill.children_of(process.pid) and process.poll() is None:
                        time.sleep(0.001)
                    (os.killpg if to_all else os.kill)(process.pid, number)
                    _, said = process.communicate(timeout=60)
                    if process.returncode not in (0, -number):  # else it was done before the signal came
                        break
                with self.subTest(verb=verb, signal=number, to_all=to_all):
                    self.assertEqual(process.returncode, 75, said)
                    self.assertRegex(said.decode(),
                                     r"\Atokmill: [^\n]*interrupted[^\n]*run the same command again[^\n]*\n\Z")
                    self.assertEqual(tokmill.processes_of_group(process.pid), [], "children are left")
                    self.assertFalse([name for name in files_of(self.directory) if name.endswith(".partial")])
                    self.tokmill(*command, "-o", path)
                    self.assert_same(path, want)

    def test_interrupted_at_random_moments(self):
        """Exit 75, or 0 where all was done; the signal itself ends it only before the work, or after it."""
        for verb, command in self.commands().items():
            want, seconds = self.reference(command)
            for _ in range(scaled(10)):
                path, number = self.new("out"), self.rng.choice((signal.SIGINT, signal.SIGTERM))
                process = self.start(*command, "-o", path)
                time.sleep(self.rng.uniform(0, seconds))
                for _ in range(self.rng.randint(1, 3)):
                    os.kill(process.pid, number)
                _, said = process.communicate(timeout=60)
                with self.subTest(verb=verb, signal=number):
                    self.assertIn(process.returncode, (0, 75, -number), said)
                    if process.returncode == -number and os.path.exists(path):
                        self.assert_same(path, want)
                    self.tokmill(*command, "-o", path)
                    self.assert_same(path, want)

    def test_a_worker_that_dies_is_replaced(self):
        for verb, command in self.commands().items():
            want, _ = self.reference(command)
            for _ in range(scaled(3)):
                path, killed = self.new("out"), 0
                process = self.start(*command, "-o", path)
                while process.poll() is None:
                    for child in tokmill.children_of(process.pid)[:1] if killed < 2 else []:
                        try:
                            os.kill(child, signal.SIGKILL)
                            killed += 1
                        except ProcessLookupError:
                            pass
                    time.sleep(0.002)
                with self.subTest(verb=verb, killed=killed):
                    self.assertEqual((process.returncode, process.stderr.read()), (0, b""))
                    self.assert_same(path, want)

    def test_a_task_that_kills_its_workers(self):
        """Three deaths are an error that names the range; the next run goes on."""
        command = ("encode", self.corpus, "--tokenizer", self.tokenizer, "-j", 1, *QUIET)
        want, _ = self.reference(command)
        for _ in range(20):
            path = self.new("out")
            process = self.start(*command, "-o", path)
            while process.poll() is None:
                for child in tokmill.children_of(process.pid):
                    try:
                        os.kill(child, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                time.sleep(0.001)
            said = process.stderr.read().decode()
            if process.returncode != 0:  # else a worker was done before it was seen
                break
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said, r"\Atokmill: [^\n]*(corpus\.txt|workers die)[^\n]*\n\Z")
        self.assertFalse(os.path.exists(path + "/manifest.json"))
        self.tokmill(*command, "-o", path)
        self.assert_same(path, want)

    def half_done(self, command):
        """An output directory where a good part of the shards is done."""
        path = self.new("out")
        process = self.start(*command, "-o", path)
        while process.poll() is None:
            try:
                if len(os.listdir(path + "/.run")) > 12:
                    break
            except OSError:
                pass
            time.sleep(0.001)
        tokmill.end_group(process)
        if os.path.exists(path + "/manifest.json"):
            self.skipTest("the run was done before it could be stopped")
        return path

    def test_what_is_done_is_kept_and_what_is_damaged_is_not(self):
        command = self.commands()["encode"]
        want, _ = self.reference(command)
        path = self.half_done(command)
        records = sorted(name[:-5] for name in os.listdir(path + "/.run") if name.startswith("shard-")
                         and name.endswith(".json"))
        self.assertGreater(len(records), 5)
        stale, flipped, short, no_index, bad_record, kept = records[:6]
        before = {name: os.stat(f"{path}/{name}.bin.zst").st_ino for name in records}
        self.damage(f"{path}/{flipped}.bin.zst")
        self.damage(f"{path}/.run/{bad_record}.json")
        os.truncate(f"{path}/{short}.bin.zst", 10)
        os.unlink(f"{path}/{no_index}.idx")
        shutil.copy(f"{path}/{kept}.bin.zst", f"{path}/{stale}.bin.zst")
        self.put(f"{path}/shard-00001.bin.zst.partial", b"rest")
        self.tokmill(*command, "-o", path)
        self.assert_same(path, want)
        after = {name: os.stat(f"{path}/{name}.bin.zst").st_ino for name in records}
        done_again = {name for name in records if before[name] != after[name]}
        self.assertEqual(done_again - {stale}, {flipped, short, no_index, bad_record})

    def damage(self, path):
        data = bytearray(formats.read(path))
        data[self.rng.randrange(len(data))] ^= 1
        self.put(path, bytes(data))

    def test_damaged_count_tables_are_counted_again(self):
        command = self.commands()["train"]
        want, seconds = self.reference(command)
        for _ in range(scaled(6)):
            path = self.new("out")
            process = self.start(*command, "-o", path)
            time.sleep(self.rng.uniform(0.2, 1) * seconds)
            tokmill.end_group(process)
            run = path + "/.run"
            for name in os.listdir(run) if os.path.isdir(run) else []:
                if name.endswith(".table"):
                    self.damage(f"{run}/{name}")
            self.tokmill(*command, "-o", path)
            self.assert_same(path, want)

    def test_finished_run_given_again(self):
        for verb, command in self.commands().items():
            path = self.new("out")
            self.tokmill(*command, "-o", path)
            before = {name: os.stat(os.path.join(path, name)).st_mtime_ns
                      for name in files_of(path)} if os.path.isdir(path) else {}
            again = self.tokmill(*command, "-o", path)
            if verb != "count":
                self.assertIn(b"finished already", again.stdout)
                self.assertTrue(self.report(*command[:-2], "-o", path)["already_done"])
            self.assertEqual({name: os.stat(os.path.join(path, name)).st_mtime_ns for name in before}, before)

    def test_other_options_in_the_same_directory(self):
        for verb, other in (("encode", ("--eot", "none")), ("encode", ("--level", 3)),
                            ("train", ("--min-frequency", 2)), ("train", ("--tie-break", "hf")),
                            ("train", ("--special", "<x>")), ("train", ("--pattern", "none"))):
            command = self.commands()[verb]
            path = self.new("out")
            self.tokmill(*command, "-o", path)
            before = files_of(path)
            self.fails(*command, *other, "-o", path, says=[path, "another run"])
            self.assertEqual(files_of(path), before)
        path = self.half_done(self.commands()["encode"])
        self.fails(*self.commands()["encode"], "--eot", "none", "-o", path, says=path)
        os.utime(self.corpus)
        self.fails(*self.commands()["encode"], "-o", path, says=[path, "inputs"])

    def test_two_at_once(self):
        """The second one is turned away; the first is not disturbed."""
        command = self.commands()["encode"]
        want, _ = self.reference(command)
        path = self.new("out")
        process = self.start(*command, "-o", path)
        while not tokmill.children_of(process.pid) and process.poll() is None:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGSTOP)
        if not os.path.exists(path + "/manifest.json"):
            self.fails(*command, "-o", path, says=[path, "another tokmill"])
        os.kill(process.pid, signal.SIGCONT)
        self.assertEqual(process.wait(60), 0)
        self.assert_same(path, want)


class Checkpoints(tokmill.TestCase):
    """A training that is stopped goes on from its last merges."""

    def setUp(self):
        super().setUp()
        letters = "etaoinshrdlucmfwypvbgk"
        words = ("".join(self.rng.choices(letters, range(len(letters), 0, -1), k=self.rng.randint(3, 14)))
                 for _ in range(150_000))
        self.table = self.at("counts.table")
        self.tokmill("count", self.put("corpus.txt", " ".join(words)), "-o", self.table, *QUIET)

    def command(self, *options, every="0.001", vocabulary=30_000):
        return ("train", "--counts", self.table, "--vocab-size", vocabulary, "--checkpoint", every, *options)

    def reference(self):
        return self.trained(self.report_at(*self.command(every="off"))["output"])

    def report_at(self, *command, path=None):
        return self.report(*command, "-o", path or self.new("out"))

    def trained(self, path):
        self.assertFalse(os.path.exists(path + "/.run"))
        files = files_of(path)
        files.pop("training.json")
        return files

    def stopped(self, stop, *command):
        """The output of a training stopped by `stop(process)` when it had put by some merges."""
        for _ in range(20):
            path = self.new("out")
            process = self.start(*command, "-o", path, *QUIET)
            while process.poll() is None and not os.path.exists(path + "/.run/trained.checkpoint"):
                time.sleep(0.0005)
            stop(process)
            if process.wait(60) != 0:
                return path
        return self.fail("the training was always done before it could be stopped")

    def test_killed_or_interrupted(self):
        def interrupt(process):
            process.send_signal(self.rng.choice((signal.SIGINT, signal.SIGTERM)))
            self.assertIn(process.wait(60), (0, 75))

        for vocabulary, tie_break in ((30_000, "bytes"), (30_000, "hf"), (70_000, "bytes")):
            command = self.command("--tie-break", tie_break, vocabulary=vocabulary)
            want = self.trained(self.report_at(*command)["output"])
            for stop in (tokmill.end_group, interrupt):
                path = self.stopped(stop, *command)
                with self.subTest(vocabulary=vocabulary, tie_break=tie_break, stop=stop):
                    report = self.report_at(*command, path=path)
                    self.assertGreaterEqual(report["resumed_from_merges"], 64)
                    self.assertEqual(self.trained(path), want)

    def test_killed_again_and_again(self):
        command = self.command()
        want = self.reference()
        path, last = self.stopped(tokmill.end_group, *command), 0
        for _ in range(scaled(8)):
            process = self.start(*command, "-o", path, *QUIET)
            time.sleep(self.rng.uniform(0.02, 0.12))
            tokmill.end_group(process)
            if not os.path.exists(path + "/.run/trained.checkpoint"):
                break
            size = os.path.getsize(path + "/.run/trained.checkpoint")
            self.assertGreaterEqual(size, last, "merges were lost")
            last = size
        self.tokmill(*command, "-o", path, *QUIET)
        self.assertEqual(self.trained(path), want)

    def test_the_worker_alone_is_killed(self):
        def kill_worker(process):
            for child in tokmill.children_of(process.pid):
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass

        want = self.reference()
        for _ in range(20):
            path = self.new("out")
            process = self.start(*self.command(), "-o", path, *QUIET)
            while process.poll() is None and not os.path.exists(path + "/.run/trained.checkpoint"):
                time.sleep(0.0005)
            kill_worker(process)
            said = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said[1]), (0, b""))
            self.assertEqual(self.trained(path), want)
            if b" merges\n" in said[0]:
                self.assertRegex(said[0].decode(), r"\n  went on from [\d,]+ merges\n")
                return
        self.fail("the worker was never killed while it trained")

    def test_a_checkpoint_that_cannot_be_trusted(self):
        command = self.command()
        want = self.reference()
        other = self.stopped(tokmill.end_group, *self.command("--tie-break", "hf"))
        foreign = formats.read(other + "/.run/trained.checkpoint")
        for what in ("damaged", "cut", "empty", "foreign"):
            path = self.stopped(tokmill.end_group, *command)
            checkpoint = path + "/.run/trained.checkpoint"
            data = bytearray(formats.read(checkpoint))
            data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)
            self.put(checkpoint, {"damaged": bytes(data), "cut": data[:-self.rng.randint(1, 100)], "empty": b"",
                                  "foreign": foreign}[what])
            with self.subTest(what):
                self.assertNotIn("resumed_from_merges", self.report_at(*command, path=path))
                self.assertEqual(self.trained(path), want)

    def test_how_often(self):
        """Other times belong to the same run; by default a short training writes none."""
        path = self.stopped(tokmill.end_group, *self.command())
        self.assertIn("resumed_from_merges", self.report_at(*self.command(every="off"), path=path))
        for every in (("--checkpoint", "off"), ("--checkpoint", "0"), ("--checkpoint", "1.5h"), ()):
            command = ("train", "--counts", self.table, "--vocab-size", 20_000, *every)
            path = self.new("out")
            os.makedirs(path + "/tokenizer.tiktoken/in the way")
            self.tokmill(*command, "-o", path, *QUIET, code=1)
            self.assertEqual(sorted(os.listdir(path + "/.run")), ["lock", "merged.table", "run.json"])


if __name__ == "__main__":
    unittest.main()
