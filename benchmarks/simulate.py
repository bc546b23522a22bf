#!/usr/bin/env python3
"""Foretells, on paper, what `tokmill train` takes of a large corpus under a memory bound.

usage: simulate.py                 OpenWebText and the Pile under some bounds
       simulate.py MEMORY.json...  what memory.py has measured of the made texts, beside what is foretold

Constants and formulas are explained in README.md, "On paper". Needs the standard library alone.
"""
import json
import math
import sys

GB, MIB = 1e9, 1 << 20
VOCABULARY = 32000
# The program's own: a process beside its tables, a worker's least share, a range, when a table is written.
PROCESS, LEAST_SHARE, RANGE, MINUTE = 8 * MIB, 16 * MIB, 64 * MIB, 60
SLOT = 32  # bytes of one; at most half of them are full
LONG_SLOTS = 4096  # of the table of long pretokens, hardly used by the made text
READER = 3 * 256 * 1024  # a worker's, of one of the tables to be added
BY_VOCABULARY = 2 * 108 * VOCABULARY + 100_000 * 32
# Measured.
COUNT = 1.1  # core s a GB
MERGE = 80e-9  # core s an entry
ENTRY, PLAIN_ENTRY, PLAIN_ENTRIES = 7.5, 11.5, 4e6  # bytes on disk; in a table that is not compressed, being smaller
TRAIN, WINDOW = 30e-9, 12e-9  # s a slot: the first window and all merges; each window more


def words_of(text):
    return 3.45 * text ** 0.62


def text_of(words):
    return (words / 3.45) ** (1 / 0.62)


def disk_of(text):
    words = words_of(text)
    return words * (PLAIN_ENTRY if words < PLAIN_ENTRIES else ENTRY)


def slots_of(text):
    """The arena's: a byte each and a border, 10.82 a word at 1 GB, 11.47 at 10 GB."""
    return words_of(text) * (10.82 + 0.65 * math.log10(text / GB))


def workers_of(bound, jobs):
    return int(min(jobs, (bound - PROCESS) // (PROCESS + LEAST_SHARE)))


def count_tables(text, share, workers):
    """The texts of the tables that all workers write, and the slots of the largest."""
    slots = 1 << 16
    while (2 * slots + LONG_SLOTS) * SLOT <= share:
        slots *= 2
    spill = text_of(slots / 2)
    span = min(RANGE, max(text / 64, MIB))
    minute = math.ceil(MINUTE * GB / COUNT / span) * span
    if spill > min(minute, text / workers):  # a table is full by the clock, or never
        period = min(minute, text / workers)
        cycle = [period]
    else:  # full in the midst of a range, whose rest is a table of its own
        period = math.ceil(spill / span) * span
        cycle = [spill] * int(period // spill) + [period % spill]
    cycles, rest = divmod(text / period, 1)
    tables = cycle * int(cycles)
    tables += [rest * period / workers] * (workers if rest * period > MIB else 0)
    return tables, min(slots, 1 << math.ceil(math.log2(2 * words_of(max(tables)))))


def rounds(text, tables, most):
    """Entries read when tables are added, not more than `most` at once."""
    read, number = sum(map(words_of, tables)), len(tables)
    entries = 0
    while number > most:
        entries += read
        number = math.ceil(number / most)
        read = number * words_of(text / number)
    return entries + read


def windows_of(text, bound):
    """How often all words are gone over, and the peak memory."""
    memory, slots = bound - 2 * PROCESS, slots_of(text)
    in_memory = 2 * slots if 2 * slots <= memory / 2 else 0
    index = memory - in_memory - BY_VOCABULARY
    # Half of the index is for positions, of 4 bytes; the pairs of bytes may take three quarters of that.
    ratio = index / (4 * (slots - 2 * words_of(text)) * 8 / 3)
    if ratio >= 1:
        return 1, in_memory + 4 * slots + 30 * MIB
    return max(7, round(7 * ratio ** -0.36)), in_memory + index / 2 + 10 * MIB


def foretell(text, bound, jobs):
    workers = workers_of(bound, jobs)
    share = (bound - PROCESS) // workers - PROCESS
    tables, slots = count_tables(text, share, workers)
    entries = rounds(text, tables, max(2, share // READER))
    count = text / GB * COUNT
    merge = entries * MERGE
    windows, train_peak = windows_of(text, bound)
    train = slots_of(text) * (TRAIN + WINDOW * (windows - 1))
    return {"tables": len(tables), "disk": sum(map(disk_of, tables)), "windows": windows,
            "count": count, "merge": merge, "train": train, "cores": count + merge + train,
            "seconds": (count + merge) / workers + train,
            "count_peak": workers * SLOT * slots + PROCESS,
            "train_peak": train_peak}


def paper():
    print("| text | -S | workers | tables | their GB | count s | merge s | windows | train s | total s "
          "| peak GiB: count | train |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, text in (("OpenWebText, 12 GB", 12 * GB), ("the Pile, 825 GB", 825 * GB)):
        for bound in (1, 4, 16):
            for jobs in (2, 16):
                f = foretell(text, bound << 30, jobs)
                print(f"| {name} | {bound}G | {jobs} | {f['tables']:,} | {f['disk'] / GB:.2g} "
                      f"| {f['count'] / jobs:,.0f} | {f['merge'] / jobs:,.1f} | {f['windows']} "
                      f"| {f['train']:,.1f} | {f['seconds']:,.0f} | {f['count_peak'] / 2**30:.2f} "
                      f"| {f['train_peak'] / 2**30:.2f} |")


def check(paths):
    print("Foretold / measured:\n\n| text | -S | tables | their MB | core s | windows | train s "
          "| peak MiB: count | train |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    measured = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            measured += json.load(file)
    for corpus in measured:
        for row in corpus["rows"]:
            if not corpus["corpus"].startswith("made") or not row["bound"] or not row["runs"]:
                continue
            f, run = foretell(corpus["bytes"], row["bound"], 2), row["runs"][0]
            print(f"| {corpus['corpus']} | {row['size']} | {f['tables']} / {run['tables']} "
                  f"| {f['disk'] / 1e6:.0f} / {run['table_bytes'] / 1e6:.0f} "
                  f"| {f['cores']:.1f} / {row['core_seconds']:.1f} | {f['windows']} / {run['windows']} "
                  f"| {f['train']:.1f} / {row['stage_seconds']['train']:.1f} "
                  f"| {f['count_peak'] / MIB:.0f} / {row['peak']['count'] / MIB:.0f} "
                  f"| {f['train_peak'] / MIB:.0f} / {row['peak']['train'] / MIB:.0f} |")


if __name__ == "__main__":
    if sys.argv[1:]:
        check(sys.argv[1:])
    else:
        paper()
