"""Runs the program for the command-line tests.

env TOKMILL               the program (default: build/release/tokmill of this clone)
env TOKMILL_PYTHON_PEERS  a Python that has `tokenizers` and `tiktoken`; what compares with them skips without
env TOKMILL_TEST_SCALE    multiplies the number of random trials (default 1; 0.2 suits a sanitizer build)
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from formats import Shards, Tokenizer, read, spell

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("TOKMILL", os.path.join(ROOT, "build/release/tokmill")))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
CS336 = os.path.join(SHARED, "fixtures/cs336")
PEERS = os.environ.get("TOKMILL_PYTHON_PEERS")
EOT = "<|endoftext|>"
NOBODY = 65534
# The pattern `gpt2` as other programs take it.
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def scaled(count):
    """The number of random trials to do where `count` is usual."""
    return max(1, round(count * float(os.environ.get("TOKMILL_TEST_SCALE", "1"))))


def needs(path):
    """Skips a test where material outside of this clone is missing."""
    return unittest.skipUnless(os.path.exists(path),
                               f"there is no {os.path.relpath(path, os.path.dirname(ROOT))}")


needs_cs336 = needs(CS336)
needs_peers = unittest.skipUnless(PEERS, "TOKMILL_PYTHON_PEERS names no Python with tokenizers and tiktoken")
needs_zstd = unittest.skipUnless(shutil.which("zstd"), "there is no zstd program")


class Outcome:
    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr.decode(errors="replace")


class TestCase(unittest.TestCase):
    """A test in a fresh directory of its own."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="tokmill-test-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.rng = random.Random(self.id())
        self.made = 0

    def at(self, name):
        return os.path.join(self.directory, name)

    def new(self, kind):
        """A path that is not used yet."""
        self.made += 1
        return self.at(f"{kind}-{self.made}")

    def put(self, name, data):
        path = self.at(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return path

    def tokmill(self, *arguments, code=0, **how):
        """Runs the program to its end, and checks its exit code, which may be one of several."""
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL,
               "timeout": 600, **how}
        done = subprocess.run([PROGRAM, *map(str, arguments)], check=False, **how)
        outcome = Outcome(done.returncode, done.stdout, done.stderr or b"")
        self.assertIn(outcome.code, (code,) if isinstance(code, int) else code,
                      f"{' '.join(map(str, arguments))}\n{outcome.stderr[-2000:]}")
        return outcome

    def fails(self, *arguments, says=(), code=1, **how):
        """A run that must end with that code and one line on standard error, which holds all of `says`."""
        outcome = self.tokmill(*arguments, code=code, **how)
        self.assertRegex(outcome.stderr, r"\Atokmill: [^\n]+\n\Z", f"not one line: {arguments}")
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, outcome.stderr)
        self.assertFalse(outcome.stdout, "a failed run printed something on standard output")
        return outcome.stderr

    def start(self, *arguments):
        """Starts the program in a process group of its own, silently."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(end_group, process)
        return process

    def report(self, *arguments, **how):
        """The report of a run, which must print nothing else."""
        outcome = self.tokmill(*arguments, "--json", "--progress", "none", **how)
        self.assertEqual(outcome.stderr, "")
        return json.loads(outcome.stdout)

    def train(self, *arguments, vocabulary=300, **how):
        path = self.new("tokenizer")
        self.tokmill("train", *arguments, "--vocab-size", vocabulary, "--progress", "none", "-o", path, **how)
        return Tokenizer(path)

    def encode(self, *arguments, tokenizer, **how):
        path = self.new("shards")
        tokenizer = getattr(tokenizer, "path", tokenizer)
        self.tokmill("encode", *arguments, "--tokenizer", tokenizer, "--progress", "none", "-o", path, **how)
        return Shards(path)

    def decode(self, path, *arguments, errors="bytes"):
        return self.tokmill("decode", getattr(path, "path", path), "--errors", errors, *arguments).stdout

    def bytes_tokenizer(self, *specials, merges=(), unused=0):
        """A vocabulary made by hand: the bytes as ids 0..255, merges, tokens that nothing makes, specials."""
        tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
        tokens += [b"unused-%d" % i for i in range(unused)]
        vocabulary = {spell(token): number for number, token in enumerate(tokens)}
        vocabulary.update({special: len(tokens) + i for i, special in enumerate(specials)})
        path = self.new("hand-made")
        added = [{"id": vocabulary[special], "content": special, "special": True} for special in specials]
        model = {"type": "BPE", "vocab": vocabulary, "merges": [f"{spell(a)} {spell(b)}" for a, b in merges]}
        self.put(path + "/tokenizer.json", json.dumps({
            "added_tokens": added, "model": model,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}}))
        return path

    def gpt2(self):
        """A directory with GPT-2's vocabulary."""
        path = self.at("gpt2")
        os.makedirs(path, exist_ok=True)
        shutil.copy(CS336 + "/gpt2_vocab.json", path + "/vocab.json")
        shutil.copy(CS336 + "/gpt2_merges.txt", path + "/merges.txt")
        return path

    def peers(self, script, question):
        """What a Python with the peers answers: `script` sees `question` and leaves `answer`, both JSON."""
        wrapped = f"import json, sys\nquestion = json.load(sys.stdin)\n{script}\njson.dump(answer, sys.stdout)"
        done = subprocess.run([PEERS, "-c", wrapped], input=json.dumps(question).encode(),
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return json.loads(done.stdout)


def end_group(process):
    """Kills a process that `start` began, and all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()
    process.stderr.close()


def processes_of_group(group):
    """The running processes of a process group, by /proc."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = read(f"/proc/{name}/stat").rpartition(b")")[2].split()
        except OSError:
            continue
        if int(status[2]) == group and status[0] != b"Z":
            found.append(int(name))
    return found


def children_of(pid):
    try:
        return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]
    except OSError:
        return []


def options_in(help_text):
    """The long options that a help names."""
    return re.findall(r"^\s+(?:-\w \[ )?--([a-z-]+)", help_text, re.MULTILINE)


main = unittest.main
