#!/usr/bin/env python3
"""Runs one other tokenizer or trainer on one corpus and prints what it took, as JSON; compare.py calls it.

usage: peers.py encode gigatoken|tiktoken|tokenizers CORPUS --threads N --gpt2 DIR
       peers.py train gigabpe|gigatoken|tokenizers CORPUS --threads N --vocab-size V --first N

Timed is the call that encodes or trains, with the text in memory where the library takes it from there.
The memory is this process's peak at the end of that call: with the interpreter and the text in it.
A library is imported only where it is used, so the others need not be installed.
"""
import argparse
import hashlib
import json
import os
import resource
import sys
import time

SEPARATOR = "<|endoftext|>"


def byte_decoder():
    """GPT-2's spelling of bytes as characters, read backwards: character -> byte."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


def read_merges(lines):
    """The merges in the lines of a merges.txt, as pairs of bytes."""
    decoder = byte_decoder()
    return [tuple(bytes(decoder[c] for c in side) for side in line.split(" "))
            for line in lines if line and not line.startswith("#version")]


def summary_of(merges, first):
    """What is reported of a trainer's merges: their number, and the first of them."""
    return {"merges": len(merges), "first": [[side.hex() for side in merge] for merge in merges[:first]]}


def gpt2_file(folder, name):
    """The path of vocab.json or merges.txt, which may also be named gpt2_vocab.json and gpt2_merges.txt."""
    paths = [os.path.join(folder, prefix + name) for prefix in ("", "gpt2_")]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def read_gpt2(folder):
    """GPT-2's vocabulary (spelling -> id, without the separator), its merges' lines, the separator's id."""
    with open(gpt2_file(folder, "vocab.json"), encoding="utf-8") as file:
        vocabulary = json.load(file)
    with open(gpt2_file(folder, "merges.txt"), encoding="utf-8") as file:
        merges = [line for line in file.read().split("\n") if line and not line.startswith("#version")]
    separator_id = vocabulary.pop(SEPARATOR, len(vocabulary))
    return vocabulary, merges, separator_id


def hugging_face_gpt2(folder):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    vocabulary, merges, separator_id = read_gpt2(folder)
    pairs = [tuple(line.split(" ")) for line in merges]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary | {SEPARATOR: separator_id}, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(SEPARATOR, special=True, normalized=False)])
    return tokenizer


def timed(call):
    """(result, seconds, peak MB of this process until now)"""
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    return result, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def digest(data, rows, separator_id):
    """Number and hash of the ids as uint16, the separator's where it stands in the text. rows holds the ids
    of the documents, in order; empty documents have no row."""
    import numpy
    separator = numpy.array([separator_id], "<u2").tobytes()
    digest, length, row = hashlib.sha1(), 0, 0
    for i, document in enumerate(data.split(SEPARATOR.encode())):
        if i > 0:
            digest.update(separator)
            length += 1
        if document:
            ids = numpy.asarray(rows[row])
            digest.update(ids.astype("<u2").tobytes())
            length += len(ids)
            row += 1
    assert row == len(rows), f"{len(rows)} rows for {row} documents"
    return {"ids": length, "hash": digest.hexdigest()[:12]}


def texts_of(data):
    """The documents as strings; those libraries take no bytes, so invalid UTF-8 ends in an error."""
    return [document for document in data.decode("utf-8").split(SEPARATOR) if document]


def encode_gigatoken(data, options):
    import gigatoken
    tokenizer = gigatoken.Tokenizer.from_json(hugging_face_gpt2(options.gpt2).to_str())
    source = gigatoken.BytesSource(data, separator=SEPARATOR.encode())
    best = None
    for _ in range(2):  # it learns words while it runs: count the better of a cold and a warm call
        rows = None
        rows, seconds, peak = timed(lambda: tokenizer.encode_batch(source, parallel=options.threads > 1))
        best = min(best or seconds, seconds)
    return rows, best, peak


def encode_tiktoken(data, options):
    import tiktoken
    vocabulary, _, separator_id = read_gpt2(options.gpt2)
    decoder = byte_decoder()
    encoding = tiktoken.Encoding(
        name="gpt2",
        pat_str=r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
        mergeable_ranks={bytes(decoder[c] for c in token): rank for token, rank in vocabulary.items()},
        special_tokens={SEPARATOR: separator_id})
    texts = texts_of(data)
    return timed(lambda: encoding.encode_ordinary_batch(texts, num_threads=options.threads))


def encode_tokenizers(data, options):
    tokenizer = hugging_face_gpt2(options.gpt2)
    texts = texts_of(data)
    rows, seconds, peak = timed(lambda: tokenizer.encode_batch_fast(texts, add_special_tokens=False))
    return [row.ids for row in rows], seconds, peak


def train_gigabpe(path, options):
    import gigabpe
    # Its alphabet is the bytes it saw: leave out the others, so that it makes as many merges as the rest.
    with open(path, "rb") as file:
        seen = set()
        while block := file.read(1 << 24):
            seen |= set(block)
    (_, merges), seconds, peak = timed(lambda: gigabpe.train_bpe(
        [path], vocab_size=options.vocab_size - (256 - len(seen)), special_tokens=[SEPARATOR],
        pretokenizer="bytelevel", threads=options.threads))
    return read_merges(f"{left} {right}" for left, right in merges), seconds, peak


def train_gigatoken(path, options):
    import gigatoken
    source = gigatoken.TextFileSource([path], separator=SEPARATOR.encode())
    (_, merges), seconds, peak = timed(lambda: gigatoken.train_bpe(source, options.vocab_size, [SEPARATOR]))
    return merges, seconds, peak


def train_tokenizers(path, options):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(vocab_size=options.vocab_size, special_tokens=[SEPARATOR],
                                  show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    with open(path, "rb") as file:
        texts = texts_of(file.read())
    _, seconds, peak = timed(lambda: tokenizer.train_from_iterator(texts, trainer))
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return read_merges(" ".join(pair) for pair in merges), seconds, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=["encode", "train"])
    parser.add_argument("peer", choices=["gigatoken", "tiktoken", "tokenizers", "gigabpe"])
    parser.add_argument("corpus")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gpt2", help="directory of vocab.json and merges.txt")
    parser.add_argument("--vocab-size", type=int, default=32000)
    parser.add_argument("--first", type=int, default=1000, metavar="N", help="how many merges are printed")
    options = parser.parse_args()
    run = globals().get(f"{options.verb}_{options.peer}")
    if run is None:
        parser.error(f"{options.peer} does not {options.verb}")
    # Rayon, under gigatoken, gigabpe and Hugging Face tokenizers, reads this when its pool starts.
    os.environ["RAYON_NUM_THREADS"] = str(options.threads)
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if options.threads > 1 else "false"
    if options.verb == "encode":
        with open(options.corpus, "rb") as file:
            data = file.read()
        rows, seconds, peak = run(data, options)
        result = digest(data, rows, read_gpt2(options.gpt2)[2])
    else:
        merges, seconds, peak = run(options.corpus, options)
        result = summary_of(merges, options.first)
    json.dump({"seconds": seconds, "peak_mb": peak} | result, sys.stdout)


if __name__ == "__main__":
    main()
