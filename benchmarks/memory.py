#!/usr/bin/env python3
"""Trains on the same bytes under one memory bound after another, and prints what each costs.

usage: memory.py [--tokmill PROGRAM] [--vocab-size V] [--sizes none,1G,256M,64M] [-j N] CORPUS... [--out DIR]

A size is what -S is given; with none, -S is left out, and tokmill's default holds, a share of the machine.
The bounds take turns, --runs times; the medians count. Checked of every run: the tokenizer's files are the
same bytes as under the first bound, and no stage took more than the bound. A training that says its bound
is too small is a row with its words. Exits 1 where a check fails. Needs the standard library alone.
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import sys
import tempfile
import threading
import time

import chart
from compare import Failed, execute, machine
from peers import SEPARATOR

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("merges.txt", "tokenizer.json", "vocab.json", "tokenizer.tiktoken", "pretokens.bin")
STAGES = ("count", "merge", "train")
UNBOUNDED = "none"
TABLE_NAME = re.compile(r"(count|spill)-\d+(-\d+)?\.table")
POLL = 0.02  # seconds between two looks at the run directory
MIB = 1 << 20
NOTES = f"""\
- Seconds: the whole process, from start to end, tokenizer written, page cache warm; then what tokmill reports
  of its stages: counting, adding the tables, training. Core s: what all its processes took of the processors,
  the median too; where others are at work on the machine it says more than the clock.
- Peak MiB: the most of all runs, all processes together, as tokmill reports it: anonymous and shared memory,
  no mapped file, so neither the corpus nor words that the trainer keeps in a file. tokmill looks every
  100 ms, and whenever a task is done.
- Windows: how often the trainer went over all words. Tables: how many the workers wrote (spilled ones among
  them) and their size together, as seen in the run directory every {1000 * POLL:.0f} ms.
- `-S {UNBOUNDED}`: no `-S` given, so the default, 80% of the machine's memory.
- Output: the bytes of {", ".join(FILES)} against the first row."""


def size_in_bytes(text):
    """What tokmill reads in a size; None where there is no bound."""
    if text == UNBOUNDED:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size; write 256M, 1.5G or {UNBOUNDED}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2] or " "))


def list_of_sizes(text):
    return [(size, size_in_bytes(size)) for size in text.split(",")]


class TableWatch(threading.Thread):
    """Notes the count tables that come into being under a folder."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.sizes, self.over = folder, {}, threading.Event()

    def run(self):
        while not self.over.wait(POLL):
            for folder, _, names in os.walk(self.folder):
                for name in filter(TABLE_NAME.fullmatch, names):
                    try:
                        self.sizes[name] = os.path.getsize(os.path.join(folder, name))
                    except OSError:
                        pass  # removed meanwhile

    def found(self):
        self.over.set()
        self.join()
        spilled = sum(name.startswith("spill") for name in self.sizes)
        return {"tables": len(self.sizes), "spilled": spilled, "table_bytes": sum(self.sizes.values())}


def core_seconds():
    """What all finished child processes have taken of the processors, theirs included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def train(options, size, corpus):
    """One training: what it took, and the hashes of its files."""
    output, tables = os.path.join(options.work, "tokenizer"), os.path.join(options.work, "tables")
    for folder in (output, tables):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(tables)
    watch = TableWatch(tables)
    watch.start()
    before = core_seconds()
    try:
        text, seconds = execute(
            [options.tokmill, "train", corpus, "--vocab-size", str(options.vocab_size),
             "--special", SEPARATOR, "-j", str(options.jobs), "-o", output, "--tmp", tables,
             *(["-S", size] if size != UNBOUNDED else []), "--json", "--progress", "none"])
    finally:
        seen = watch.found()
    report = json.loads(text)
    kept = ("stage_seconds", "stage_peak_memory", "train_seconds", "train_peak_memory", "peak_memory",
            "windows", "trainer_memory", "distinct_pretokens")
    return ({"seconds": seconds, "core_seconds": core_seconds() - before}
            | {name: report[name] for name in kept} | seen
            | {"hashes": {name: hash_of(os.path.join(output, name)) for name in FILES}})


def measure(options, corpus):
    """The runs under every bound, taken in turns; one that fails is not run again."""
    rows = [{"size": size, "bound": bound, "runs": [], "failed": None} for size, bound in options.sizes]
    for turn in range(options.runs):
        for row in rows:
            if row["failed"]:
                continue
            print(f"{os.path.basename(corpus)}: run {turn + 1} of {options.runs}, -S {row['size']}",
                  file=sys.stderr)
            try:
                row["runs"].append(train(options, row["size"], corpus))
            except (Failed, OSError, ValueError, KeyError) as error:
                row["failed"] = str(error) if isinstance(error, Failed) else repr(error)
    return rows


def judge(rows):
    """Adds each row's medians and peaks, and what is wrong with it: `faults`."""
    reference = next((row["runs"][0]["hashes"] for row in rows if row["runs"]), None)
    for row in rows:
        row["faults"] = []
        if row["failed"]:
            # A bound that is too small is an answer, if tokmill says so.
            row["faults"] += [] if re.search("--memory .*at least", row["failed"]) else ["FAILED"]
        if not row["runs"]:
            continue
        for name in ("seconds", "core_seconds"):
            row[name] = statistics.median(run[name] for run in row["runs"])
        row["stage_seconds"] = {stage: statistics.median(run["stage_seconds"].get(stage, 0)
                                                         for run in row["runs"]) for stage in STAGES}
        row["peak"] = {stage: max(run["stage_peak_memory"].get(stage, 0) for run in row["runs"])
                       for stage in STAGES}
        for name in FILES:
            if any(run["hashes"][name] != reference[name] for run in row["runs"]):
                row["faults"].append(f"{name} DIFFERS")
        for run in row["runs"]:
            for stage, peak in run["stage_peak_memory"].items():
                fault = f"{stage} OVER THE BOUND"
                if row["bound"] and peak > row["bound"] and fault not in row["faults"]:
                    row["faults"].append(fault)


def span(values, form="{:,}"):
    """What runs may differ in: one value, or the least and the greatest."""
    least, most = form.format(min(values)), form.format(max(values))
    return least if least == most else f"{least}–{most}"


def table(rows):
    lines = ["| -S | median s | min–max s | to the first | core s | count + merge + train s "
             "| peak MiB: count | merge | train | windows | tables (spilled), MB | output |",
             "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    first = next((row["seconds"] for row in rows if row["runs"]), None)
    for row in rows:
        verdict = ", ".join(filter(None, [row["failed"], *row["faults"]])) or "same"
        runs = row["runs"]
        if not runs:
            lines.append(f"| {row['size']} | | | | | | | | | | | {verdict} |")
            continue
        stages = " + ".join(f"{row['stage_seconds'][stage]:.2f}" for stage in STAGES)
        peaks = " | ".join(f"{row['peak'][stage] / MIB:.0f}" for stage in STAGES)
        lines.append(
            f"| {row['size']} | {row['seconds']:.2f} | {span([run['seconds'] for run in runs], '{:.2f}')} "
            f"| {row['seconds'] / first:.2f} | {row['core_seconds']:.2f} | {stages} | {peaks} "
            f"| {span([run['windows'] for run in runs])} | {span([run['tables'] for run in runs])} "
            f"({span([run['spilled'] for run in runs])}), "
            f"{span([run['table_bytes'] / 1e6 for run in runs], '{:.0f}')} | {verdict} |")
    return "\n".join(lines)


def load():
    return f"{os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="+", help="plain text, documents ended by <|endoftext|>")
    parser.add_argument("--sizes", type=list_of_sizes, default="none,1G,256M,128M,64M", metavar="SIZE,...",
                        help="the bounds, the one that others are compared with first (default %(default)s)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="under each bound (default 3)")
    parser.add_argument("--vocab-size", type=int, default=32000, metavar="V", help="(default 32000)")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="workers (default 2)")
    parser.add_argument("--tokmill", default=os.path.join(os.path.dirname(HERE), "build/release/tokmill"),
                        metavar="PROGRAM", help="the program to measure")
    parser.add_argument("--tmp", metavar="DIR", help="where tables and tokenizers are written, and removed")
    parser.add_argument("--out", metavar="DIR", help="write the tables, a chart and the runs as JSON here, "
                        "e.g. benchmarks/results/DATE-MACHINE")
    options = parser.parse_args()

    began, start = load(), time.perf_counter()
    results = []
    with tempfile.TemporaryDirectory(prefix="tokmill-memory-", dir=options.tmp) as options.work:
        try:
            version = execute([options.tokmill, "--version"])[0].decode().strip()
        except Failed as error:
            sys.exit(str(error))
        for corpus in options.corpus:
            with open(corpus, "rb") as file:  # warms the page cache too
                size = sum(len(block) for block in iter(lambda: file.read(1 << 24), b""))
            rows = measure(options, corpus)
            judge(rows)
            results.append((os.path.basename(corpus), size, rows))

    today = datetime.date.today().isoformat()
    shown = [os.path.basename(word) if os.path.sep in word else word for word in sys.argv]
    text = (f"# Memory, {today}\n\n`{shlex.join(shown)}`\n\n{machine()}; {version}; vocabulary of "
            f"{options.vocab_size:,}, {options.jobs} workers; runs in turns: {options.runs}; in "
            f"{time.perf_counter() - start:.0f} s; load average {began} before, {load()} after.\n\n")
    for corpus, size, rows in results:
        distinct = next((run["distinct_pretokens"] for row in rows for run in row["runs"]), 0)
        text += f"## {corpus}, {size / 1e6:,.1f} MB, {distinct:,} distinct pretokens\n\n{table(rows)}\n\n"
    text += NOTES + "\n"
    print(text)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        name = os.path.join(options.out, "memory")
        with open(name + ".md", "w", encoding="utf-8") as file:
            file.write(text)
        groups = [(f"{corpus}, {size / 1e6:.0f} MB",
                   [(f"-S {row['size']}", size / row["seconds"] / 1e6, row["bound"] is not None)
                    for row in rows if row["runs"]]) for corpus, size, rows in results]
        if any(bars for _, bars in groups):
            with open(name + ".svg", "w", encoding="utf-8") as file:
                title = f"train under -S: bytes of text a second ({machine()}, {today})"
                file.write(chart.bars(title, groups))
        measured = [{"corpus": corpus, "bytes": size, "rows": rows} for corpus, size, rows in results]
        with open(name + ".json", "w", encoding="utf-8") as file:
            json.dump(measured, file)
    return 1 if any(row["faults"] for _, _, rows in results for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
