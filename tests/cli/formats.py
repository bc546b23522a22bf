"""Reads what the program writes, with nothing but Python and the zstd program."""
import array
import json
import os
import struct
import subprocess
import sys


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_of(directory):
    """{relative path: bytes} of all files below a directory."""
    return {os.path.relpath(os.path.join(folder, name), directory): read(os.path.join(folder, name))
            for folder, _, names in os.walk(directory) for name in names}


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
