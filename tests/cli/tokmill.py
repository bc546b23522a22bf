"""Runs the program for the command-line tests, and reads what it writes.

env TOKMILL               the program (default: build/release/tokmill of this clone)
env TOKMILL_PYTHON_PEERS  a Python that has `tokenizers` and `tiktoken`; what compares with them skips without
env TOKMILL_TEST_SCALE    multiplies the number of random trials (default 1; 0.2 suits a sanitizer build)
"""
import array
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("TOKMILL", os.path.join(ROOT, "build/release/tokmill")))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
CS336 = os.path.join(SHARED, "fixtures/cs336")
PEERS = os.environ.get("TOKMILL_PYTHON_PEERS")
EOT = "<|endoftext|>"
NOBODY = 65534

# Hard cases: sentences of several languages, contractions, numbers, all kinds of white space.
NASTY = ["I'm 26岁, 住在 101号. 很高兴认识你!   ", "don't we'll they've I'D you're it's 'tis '", "  two  spaces \n\n \t end ",
         "a\r\nb\r\n\r\n c", "\u00a0x\u00a0 y\u0085z \u3000w\u200bv\u2028q", "²³½ Ⅷ ٣٤ १२ x1y2", "é e\u0301 ñ Å ß ﬁ ǅ ʰ ا ב",
         "👍🏽👩‍👩‍👧 🇫🇷!!", "\x00\x01\x1c\x1f\x7f", "''''s 's's 'll'll", " '", "' ", "\n", " ", "_a_ __ a_b", "我爱吃苹果。我爱吃香蕉！",
         "{}[]()<>|<|>|<|endoftext|", "aaaaaaaaaaaaaaaaaaaaaa", "\t\t\tx = 1;\n\t\t\ty", "١٢٣abc١٢٣", "\u180ea\u1680b\ufeffc"]
# Bytes that are not text, and text that is rare.
ODD = [b"", b"\0", b"a\0b", b"\x80", b"\xbf\xbf", b"\xc0\xaf", b"\xc1\x81", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbf",
       b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf5", b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xe4\xbd", b"x\xf0\x9f\x91",
       b"\xf0\x9f", b"\xe4\xbd \xe4", b"\r\n\r\n", b"\xc2\xa0 \xc2\xa0", b"\xc2\x85", b"\xe3\x80\x80", b"\xe2\x80\x8b", b"\xef\xbb\xbfa",
       b" \xff ", b"\xe4\xe4\xbd\xa0\xbd", b"\xf0\x9f\x91\xf0\x9f\x91\x8d\x8d", bytes(range(256)), bytes(reversed(range(256)))]


def scaled(count):
    """The number of random trials to do where `count` is usual."""
    return max(1, round(count * float(os.environ.get("TOKMILL_TEST_SCALE", "1"))))


def needs(path):
    """Skips a test where material outside of this clone is missing."""
    return unittest.skipUnless(os.path.exists(path), f"there is no {os.path.relpath(path, os.path.dirname(ROOT))}")


needs_cs336 = needs(CS336)
needs_peers = unittest.skipUnless(PEERS, "TOKMILL_PYTHON_PEERS names no Python with tokenizers and tiktoken")
needs_zstd = unittest.skipUnless(shutil.which("zstd"), "there is no zstd program")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_of(directory):
    """{relative path: bytes} of all files below a directory."""
    return {os.path.relpath(os.path.join(folder, name), directory): read(os.path.join(folder, name))
            for folder, _, names in os.walk(directory) for name in names}


def prose(rng, size, separator=EOT, documents=40):
    """About `size` bytes of text like real text: frequent and rare words, several scripts, documents."""
    letters = ["e", "t", "a", "o", "n", "s", "é", "我", "的", "山", "'s", "7", "20", "-", ".", ",", "ß"]
    words = ["".join(rng.choices(letters, weights=range(len(letters), 0, -1), k=rng.randint(1, 7))) for _ in range(3000)]
    gaps = [" "] * 30 + ["  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u3000", ""]
    every = max(1, size // documents // 12)
    out, length = [], 0
    while length < size:
        for _ in range(rng.randint(1, 2 * every)):
            out += (words[min(int(rng.paretovariate(0.7)), len(words)) - 1], rng.choice(gaps))
            length += len(out[-1]) + len(out[-2])
        if separator:
            out.append(separator * rng.choice((1, 1, 1, 2)))
    return "".join(out).encode()


def spelling():
    """{character: byte} of GPT-2's spelling of bytes."""
    printable = [b for b in range(256) if 33 <= b <= 126 or (b >= 161 and b != 173)]
    others = [b for b in range(256) if b not in printable]
    return {**{chr(b): b for b in printable}, **{chr(256 + i): b for i, b in enumerate(others)}}


BYTE_OF = spelling()
CHARACTER_OF = {byte: character for character, byte in BYTE_OF.items()}


def spell(token):
    return "".join(CHARACTER_OF[byte] for byte in token)


def unspell(text):
    return bytes(BYTE_OF[character] for character in text)


def unzst(data):
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout


def seek_table(data):
    """[(compressed size, plain size, checksum)] of a zstd seekable file, checked against its length."""
    frames, descriptor, magic = struct.unpack("<IBI", data[-9:])
    assert magic == 0x8F92EAB1 and descriptor == 0x80, "no seek table with checksums"
    table = data[-9 - 12 * frames - 8:]
    assert struct.unpack("<II", table[:8]) == (0x184D2A5E, 12 * frames + 9), "no skippable frame"
    entries = [struct.unpack_from("<III", table, 8 + 12 * i) for i in range(frames)]
    assert sum(entry[0] for entry in entries) + len(table) == len(data), "frames do not fill the file"
    return entries


def numbers(code, data):
    """The little-endian numbers of an array type code."""
    values = array.array(code, data)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tolist()


class Tokenizer:
    """A directory that `train` wrote."""

    def __init__(self, path):
        self.path = path
        self.merge_lines = [line for line in read(path + "/merges.txt").decode().split("\n")[1:] if line]
        self.merges = [tuple(unspell(part) for part in line.split(" ")) for line in self.merge_lines]
        self.vocabulary = json.loads(read(path + "/vocab.json"))
        self.training = json.loads(read(path + "/training.json"))

    def tables(self):
        """The files that must not depend on how they were made."""
        return {name: data for name, data in files_of(self.path).items() if name != "training.json"}


class Shards:
    """A directory that `encode` wrote, read by Python and the zstd program alone."""

    def __init__(self, path):
        self.path = path
        self.manifest = json.loads(read(path + "/manifest.json"))
        self.code = {"uint16": "H", "uint32": "I"}[self.manifest["dtype"]]
        self.suffix = ".bin.zst" if self.manifest["compressed"] else ".bin"
        self.names = [shard["name"] for shard in self.manifest["shards"]]
        self.parts, self.part_ends = [], []
        for name in self.names:
            data = read(f"{path}/{name}{self.suffix}")
            self.parts.append(numbers(self.code, unzst(data) if self.manifest["compressed"] else data))
            self.part_ends.append(numbers("Q", read(f"{path}/{name}.idx")))

    @property
    def ids(self):
        return [number for part in self.parts for number in part]

    @property
    def ends(self):
        """The documents' ends, counted from the first shard's beginning."""
        ends, base = [], 0
        for part, part_ends in zip(self.parts, self.part_ends):
            ends += [base + end for end in part_ends]
            base += len(part)
        return ends


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
        """Runs the program to its end, and checks its exit code."""
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "timeout": 600, **how}
        done = subprocess.run([PROGRAM, *map(str, arguments)], check=False, **how)
        outcome = Outcome(done.returncode, done.stdout, done.stderr or b"")
        self.assertEqual(outcome.code, code, f"{' '.join(map(str, arguments))}\n{outcome.stderr[-2000:]}")
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
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
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

    def bytes_tokenizer(self, *specials, merges=()):
        """A vocabulary made by hand: the bytes as ids 0..255, merges, specials."""
        tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
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
        """What a Python with the peers answers: `script` sees `question` and leaves `answer`; both are JSON."""
        wrapped = f"import json, sys\nquestion = json.load(sys.stdin)\n{script}\njson.dump(answer, sys.stdout)"
        done = subprocess.run([PEERS, "-c", wrapped], input=json.dumps(question).encode(), capture_output=True, check=False)
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
