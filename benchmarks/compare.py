#!/usr/bin/env python3
"""Runs tokmill and its peers side by side on the same bytes, checks what comes out, prints a table.

usage: compare.py encode --gpt2 DIR CORPUS...     ids of GPT-2's vocabulary, compared by hash
       compare.py train [--vocab-size V] CORPUS...    number of merges, and how many of the first 1000 agree
       compare.py train --tie-break hf CORPUS...      all merges, which must agree one for one

A corpus is a plain text file of documents ended by <|endoftext|>. Run it with (or name by --python) an
interpreter that has the peers: pip install gigatoken gigabpe tokenizers tiktoken numpy. This script itself
needs the standard library and zstd. All programs take turns, --runs times; the medians count.
"""
import argparse
import datetime
import hashlib
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial

import chart
from peers import SEPARATOR, gpt2_file, read_merges, summary_of

HERE = os.path.dirname(os.path.abspath(__file__))
TOKMILL = "tokmill"
NOTES = {
    "encode": """\
- Page cache warm. tokmill: the whole process, from start to end; `-j 2` writes zstd shards to disk, `dry run`
  writes nothing. Peers: the encode call alone, text in memory before, ids in memory after; of gigatoken the
  better of a cold and a warm call.
- Peak memory: tokmill, all processes together, as it reports; peers, the Python process with the text in it.
- Output: hash of all ids as uint16, separators where they stand in the text, against tokmill's shards (which
  were also verified against the corpus).""",
    "train": """\
- Page cache warm. tokmill: the whole process, from start to end, tokenizer written. Peers: the training call
  alone, from the file (Hugging Face: from text in memory).
- Peak memory: tokmill, all processes together, as it reports; peers, the Python process.
- Output: the number of merges, and """,
}
TRAIN_OUTPUT = {
    "bytes": """how many of the first 1000 are among tokmill's first 1000. Ties are broken
  differently, and gigabpe cuts its input at line ends, so not all have to agree.""",
    "hf": """how many from the first on are tokmill's, which breaks ties as the peers do
  (`--tie-break hf`): all have to be. gigabpe is left out, because it cuts its input at line ends.""",
}


class Failed(Exception):
    """A program did not do its work; the message is one line."""


def execute(command):
    """The standard output and the seconds of a command."""
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        raise Failed(f"exit {done.returncode}: {last[:200]}")
    return done.stdout, seconds


def peak_mb(report):
    """The peak memory in tokmill's report: the first number, in bytes, under a name with "peak" in it."""
    for key, value in report.items():
        if "peak" in key and isinstance(value, (int, float)):
            return value if key.endswith("_mb") else value / 1e6
    inside = (peak_mb(value) for value in report.values() if isinstance(value, dict))
    return next((peak for peak in inside if peak is not None), None)


def run_tokmill(options, arguments):
    command = [options.tokmill, *arguments, "--json", "--progress", "none"]
    output, seconds = execute(command)
    report = json.loads(output)
    return report, {"seconds": seconds, "peak_mb": peak_mb(report)}


def hash_of_shards(folder):
    shards = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".bin.zst")]
    digest, length = hashlib.sha1(), 0
    with subprocess.Popen(["zstd", "-dcq", *shards], stdout=subprocess.PIPE) as zstd:
        while block := zstd.stdout.read(1 << 22):
            digest.update(block)
            length += len(block)
    if zstd.returncode != 0:
        raise Failed("zstd -d cannot read the shards")
    return {"ids": length // 2, "hash": digest.hexdigest()[:12]}


def tokmill_encode(options, threads, dry_run, corpus):
    tokenizer, shards = os.path.join(options.work, "gpt2"), os.path.join(options.work, "shards")
    shutil.rmtree(shards, ignore_errors=True)
    command = ["encode", corpus, "--tokenizer", tokenizer, "--special", SEPARATOR, "--eot", "none",
               "-j", str(threads)]
    report, result = run_tokmill(options, command + (["--dry-run"] if dry_run else ["-o", shards]))
    if dry_run:
        return result | {"ids": report["tokens"]}
    result |= hash_of_shards(shards)
    execute([options.tokmill, "verify", shards, "--against", corpus, "--progress", "none"])
    return result


def tokmill_train(options, threads, corpus):
    output = os.path.join(options.work, "tokenizer")
    shutil.rmtree(output, ignore_errors=True)
    _, result = run_tokmill(options, ["train", corpus, "--vocab-size", str(options.vocab_size),
                                      "--special", SEPARATOR, "--tie-break", options.tie_break,
                                      "-j", str(threads), "-o", output])
    with open(os.path.join(output, "merges.txt"), encoding="utf-8") as file:
        merges = read_merges(file.read().split("\n"))
    return result | summary_of(merges, merges_kept(options))


def merges_kept(options):
    """How many merges of each trainer are compared."""
    return 1000 if options.tie_break == "bytes" else options.vocab_size


def run_peer(options, verb, peer, threads, corpus):
    command = [options.python, os.path.join(HERE, "peers.py"), verb, peer, corpus, "--threads", str(threads)]
    command += ["--gpt2", options.gpt2] if verb == "encode" else [
        "--vocab-size", str(options.vocab_size), "--first", str(merges_kept(options))]
    output, _ = execute(command)
    return json.loads(output.decode().strip().split("\n")[-1])


def contenders(options):
    """(name, threads, label in the table, how to run it on a corpus), in the order of their turns."""
    if options.verb == "encode":
        peers = [("gigatoken", 1), ("gigatoken", 2), ("tiktoken", 2)]
        own = [(1, "tokmill, dry run", partial(tokmill_encode, options, 1, True)),
               (2, "tokmill, to shards", partial(tokmill_encode, options, 2, False))]
    else:
        peers = [("gigabpe", 2)] * (options.tie_break == "bytes") + [("gigatoken", 2)]
        own = [(2, "tokmill", partial(tokmill_train, options, 2))]
    if options.slow:
        peers.append(("tokenizers", 2))
    for threads, label, run in own:
        yield TOKMILL, threads, label, run
    for peer, threads in peers:
        yield peer, threads, peer, partial(run_peer, options, options.verb, peer, threads)


def measure(options, corpus):
    """The runs of every contender, taken in turns; one that fails is not run again."""
    rows = [{"name": name, "threads": threads, "label": label, "call": run, "runs": [], "failed": None}
            for name, threads, label, run in contenders(options)]
    for turn in range(options.runs):
        for row in rows:
            if row["failed"]:
                continue
            print(f"{os.path.basename(corpus)}: run {turn + 1} of {options.runs}, {row['label']}, "
                  f"threads {row['threads']}", file=sys.stderr)
            try:
                row["runs"].append(row["call"](corpus))
            except (Failed, OSError, ValueError, KeyError) as error:
                row["failed"] = f"{type(error).__name__}: {error}"
    for row in rows:
        del row["call"]
        if row["runs"]:
            row["seconds"] = statistics.median(run["seconds"] for run in row["runs"])
            peaks = [run["peak_mb"] for run in row["runs"] if run["peak_mb"]]
            row["peak_mb"] = statistics.median(peaks) if peaks else None
    return rows


def judge(options, rows):
    """Compares each row's output with tokmill's: `output` for the table, `agrees` for the exit code."""
    def values(row, key):
        return {json.dumps(run[key]) for run in row["runs"] if key in run}

    reference = next((row for row in reversed(rows) if row["name"] == TOKMILL and row["runs"]), None)
    for row in rows:
        row["agrees"] = not row["failed"] and reference is not None
        if row["failed"] or reference is None:
            row["output"] = row["failed"] or "not compared: tokmill failed"
            continue
        mine, theirs = row["runs"][0], reference["runs"][0]
        keys = [key for key in ("ids", "hash", "merges") if key in mine]
        row["agrees"] = all(values(row, key) == values(reference, key) for key in keys)
        if "merges" in mine:
            row["output"] = f"{mine['merges']:,} merges"
            if row is not reference and options.tie_break == "hf":
                pairs = zip(mine["first"], theirs["first"])
                same = next((i for i, (a, b) in enumerate(pairs) if a != b), len(theirs["first"]))
                row["agrees"] &= mine["first"] == theirs["first"]
                row["output"] += f", the first {same:,} agree"
            elif row is not reference:
                common = len({*map(tuple, mine["first"])} & {*map(tuple, theirs["first"])})
                row["output"] += f", {common} of the first {len(theirs['first'])} agree"
        else:
            row["output"] = f"{mine['ids']:,} ids" + (f", {mine['hash']}" if "hash" in mine else "")
        row["output"] += "" if row["agrees"] else " DIFFERS"


def table(results):
    lines = ["| corpus | program | threads | median s | min–max s | MB/s | peak MB | tokmill's speed "
             "| output |",
             "|---|---|--:|--:|--:|--:|--:|--:|---|"]
    for corpus, size, rows in results:
        own = {row["threads"]: row["seconds"] for row in rows if row["name"] == TOKMILL and row["runs"]}
        for row in rows:
            start = f"| {corpus}, {size / 1e6:.1f} MB | {row['label']} | {row['threads']} |"
            if not row["runs"]:
                lines.append(f"{start} | | | | | {row['output']} |")
                continue
            seconds = row["seconds"]
            spread = [run["seconds"] for run in row["runs"]]
            ratio = ""
            if row["name"] != TOKMILL and row["threads"] in own:
                ratio = f"{seconds / own[row['threads']]:.2f} times"
            peak = f"{row['peak_mb']:.0f}" if row["peak_mb"] else ""
            lines.append(f"{start} {seconds:.3f} | {min(spread):.3f}–{max(spread):.3f} | "
                         f"{size / seconds / 1e6:.0f} | {peak} | {ratio} | {row['output']} |")
    return "\n".join(lines)


def machine():
    """The processor's name and what this process may use of it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        model = "unknown processor"
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


def versions(options):
    """What was compared: tokmill's and the peers' versions, those that are installed."""
    code = ("from importlib.metadata import distributions\n"
            "peers = {'gigatoken', 'gigabpe', 'tiktoken', 'tokenizers'}\n"
            "print(', '.join(sorted(f'{x.name} {x.version}' for x in distributions() if x.name in peers)))")
    return ", ".join(execute(command)[0].decode().strip()
                     for command in ([options.tokmill, "--version"], [options.python, "-c", code]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="encode|train")
    for verb in ("encode", "train"):
        sub = verbs.add_parser(verb, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        sub.add_argument("corpus", nargs="+", help="plain text, documents ended by <|endoftext|>")
        sub.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each program")
        sub.add_argument("--slow", action="store_true", help="Hugging Face tokenizers too")
        sub.add_argument("--tokmill", default=os.path.join(os.path.dirname(HERE), "build/release/tokmill"),
                         metavar="PROGRAM", help="the program to measure")
        sub.add_argument("--python", default=sys.executable, help="the interpreter that has the peers")
        sub.add_argument("--tmp", metavar="DIR", help="where shards are written, and removed")
        sub.add_argument("--out", metavar="DIR", help="write the table, a chart and the runs as JSON here, "
                         "e.g. benchmarks/results/DATE-MACHINE")
    verbs.choices["encode"].add_argument("--gpt2", required=True, metavar="DIR",
                                         help="GPT-2's vocab.json and merges.txt (or gpt2_vocab.json, ...)")
    verbs.choices["train"].add_argument("--vocab-size", type=int, default=32000, metavar="V")
    verbs.choices["train"].add_argument("--tie-break", choices=["bytes", "hf"], default="bytes",
                                        help="tokmill's; with hf all merges must agree")
    options = parser.parse_args()

    results = []
    with tempfile.TemporaryDirectory(prefix="tokmill-compare-", dir=options.tmp) as options.work:
        try:
            compared = versions(options)
        except Failed as error:
            sys.exit(str(error))
        if options.verb == "encode":
            os.makedirs(os.path.join(options.work, "gpt2"))
            for name in ("vocab.json", "merges.txt"):
                shutil.copyfile(gpt2_file(options.gpt2, name), os.path.join(options.work, "gpt2", name))
        for corpus in options.corpus:
            with open(corpus, "rb") as file:  # warms the page cache too
                size = sum(len(block) for block in iter(lambda: file.read(1 << 24), b""))
            rows = measure(options, corpus)
            judge(options, rows)
            results.append((os.path.basename(corpus), size, rows))

    today = datetime.date.today().isoformat()
    shown = [os.path.basename(word) if os.path.sep in word else word for word in sys.argv]
    notes = NOTES[options.verb] + (TRAIN_OUTPUT[options.tie_break] if options.verb == "train" else "")
    text = (f"# {options.verb}, {today}\n\n`{shlex.join(shown)}`\n\n{machine()}; {compared}; "
            f"median of {options.runs} runs in turns.\n\n{table(results)}\n\n{notes}\n")
    print(text)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        name = os.path.join(options.out, options.verb)
        with open(name + ".md", "w", encoding="utf-8") as file:
            file.write(text)
        for run in (run for _, _, rows in results for row in rows for run in row["runs"]):
            run.pop("first", None)  # of the merges: long, and compared already
        measured = [{"corpus": corpus, "bytes": size, "rows": rows} for corpus, size, rows in results]
        groups = [(f"{corpus}, {size / 1e6:.0f} MB",
                   [(f"{row['label']}, {row['threads']} threads", size / row["seconds"] / 1e6,
                     row["name"] == TOKMILL) for row in rows if row["runs"]]) for corpus, size, rows in results]
        with open(name + ".svg", "w", encoding="utf-8") as file:
            file.write(chart.bars(f"{options.verb}: bytes of text a second ({machine()}, {today})", groups))
        with open(name + ".json", "w", encoding="utf-8") as file:
            json.dump(measured, file)
    # Encoders must agree, and trainers if they break ties in the same way.
    exact = options.verb == "encode" or options.tie_break == "hf"
    bad = [row for _, _, rows in results for row in rows if row["failed"] or (exact and not row["agrees"])]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
