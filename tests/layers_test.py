#!/usr/bin/env python3
"""The house rules that a compiler does not check: layers, who may print, exit and fork, a test for each file.

usage: layers_test.py [ROOT]    exit 1 and a line for each broken rule
"""
import os
import re
import sys
import tempfile

# A folder of lib/ and the folders whose headers its files may include.
LAYERS = {
    "io": {"io"},
    "text": {"io", "text"},
    "format": {"io", "text", "format"},
    "bpe": {"io", "text", "format", "bpe"},
    "pipeline": {"io", "text", "format", "bpe", "pipeline"},
}
# Folders beside lib/, which nothing in lib/ may include.
OUTSIDE = {"tools", "tests", "benchmarks", "python"}

# What a file in lib/ does not do, and the files that may after all.
WORKER_POOL = "pipeline/worker_pool.cpp"
FORBIDDEN = [
    (r"(?<![\w.>])v?fork\s*\(", "forks", {WORKER_POOL}),
    (r"(?<![\w.>])_exit\s*\(", "exits", {WORKER_POOL}),
    (r"(?<![\w.>])(exit|quick_exit|_Exit|abort|terminate)\s*\(", "exits or aborts", set()),
    (r"\bstd::w?(cout|cerr|clog)\b|(?<![\w.>])(v?printf|puts|putchar|perror)\s*\("
     r"|\b(v?fprintf|fputs|fputc|fwrite)\s*\([^;]*\bstd(out|err)\b", "prints", set()),
]

# lib/<folder>/<noun>.cpp that need no tests/<folder>/<noun>_test.cpp, each with the reason.
# Generated tables (*_table.cpp) need none: what reads them is tested.
WITHOUT_TEST = set()

NOT_CODE = re.compile(r'R"([^()\s\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
                      r"|//[^\n]*|/\*.*?\*/", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def code_of(text):
    """The text without comments and literals, on the same lines."""
    return NOT_CODE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)


def sources(root):
    """The paths of lib's C++ files, relative to lib/, sorted."""
    lib = os.path.join(root, "lib")
    return sorted(os.path.relpath(os.path.join(folder, name), lib)
                  for folder, _, names in os.walk(lib) for name in names
                  if name.endswith((".h", ".hpp", ".cpp", ".inc")))


def check_file(path, text):
    """The rules broken by one file of lib/, as (line, what)."""
    layer = path.split("/")[0]
    if layer not in LAYERS or "/" not in path:
        yield 1, f"is in none of lib's layers ({', '.join(LAYERS)})"
        return
    for match in INCLUDE.finditer(text):
        header = match[1]
        if header.startswith("."):
            header = os.path.normpath(os.path.join("lib", os.path.dirname(path), header))
            header = header.removeprefix("lib/")
        target = header.split("/")[0]
        if target in OUTSIDE or (target in LAYERS and target not in LAYERS[layer]):
            yield text.count("\n", 0, match.start()) + 1, f"lib/{layer} must not include {header}"
    code = code_of(text)
    for pattern, what, allowed in FORBIDDEN:
        if path in allowed:
            continue
        for match in re.finditer(pattern, code):
            line = code.count("\n", 0, match.start()) + 1
            yield line, f"lib never {what}: {match[0].split('(')[0].strip()}"


def check(root):
    """All broken rules, one line each."""
    problems = []
    for path in sources(root):
        with open(os.path.join(root, "lib", path), encoding="utf-8") as file:
            problems += [f"lib/{path}:{line}: {what}" for line, what in check_file(path, file.read())]
        stem, extension = os.path.splitext(path)
        if extension == ".cpp" and not stem.endswith("_table") and path not in WITHOUT_TEST:
            if not os.path.exists(os.path.join(root, "tests", stem + "_test.cpp")):
                problems.append(f"lib/{path}:1: has no tests/{stem}_test.cpp")
    return problems


# The self-check: a small house, and what is wrong with each of its files (line and words of the message).
GOOD = """#include <string>
#include "io/file.h"  // exit(1) in a comment
/* abort() */ const char* kHelp = "std::cout << fork()"; auto n = snprintf(b, 1'0, "%s", R"(printf("x"))");
void close() { writer.abort(); on_exit(); file->exit(); } int forks(int pitchfork);
"""
HOUSE = {
    "lib/io/file.h": ("#pragma once\n", []),
    "lib/io/low.cpp": ('#include "io/file.h"\n#include "text/utf8.h"\n', [(2, "not include text/utf8.h")]),
    "lib/io/near.cpp": ('#include "../bpe/trainer.h"\n', [(1, "must not include bpe/trainer.h")]),
    "lib/io/far.cpp": ("#include <../../tools/report.h>\n", [(1, "must not include")]),
    "lib/text/utf8.cpp": (GOOD + '#include "format/shard.h"\n', [(5, "must not include format/shard.h")]),
    "lib/format/shard.cpp": (GOOD + '#include "text/utf8.h"\n', []),
    "lib/bpe/trainer.cpp": ('\n#include "pipeline/plan.h"\nstd::cerr << 1;\n',
                            [(2, "must not include pipeline/plan.h"), (3, "prints: std::cerr")]),
    "lib/bpe/loud.h": ('std::printf("x");\nstd::fprintf(stderr, "x");\nstd::exit(1);\n_exit(2);\n'
                       "std::abort();\n",
                       [(4, "exits"), (3, "exits or aborts: exit"), (5, "exits or aborts: abort"),
                        (1, "prints: printf"), (2, "prints: fprintf")]),
    "lib/pipeline/plan.cpp": ('#include "bpe/trainer.h"\n#include "io/file.h"\nif (::fork() == 0) return;\n',
                              [(3, "forks")]),
    "lib/pipeline/worker_pool.cpp": ("if (fork() == 0) ::_exit(1);\nexit(1);\n", [(2, "exits or aborts")]),
    "lib/text/unicode_table.cpp": ("int table[1];\n", []),
    "lib/text/alone.cpp": ("\n", [(1, "has no tests/text/alone_test.cpp")]),
    "lib/attic/old.h": ("\n", [(1, "none of lib's layers")]),
    "lib/top.h": ("\n", [(1, "none of lib's layers")]),
}


def self_check():
    """Fails unless exactly what is wrong with HOUSE is found."""
    with tempfile.TemporaryDirectory() as root:
        def put(path, text):
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)

        for path, (text, _) in HOUSE.items():
            put(path, text)
            if path.endswith(".cpp") and not path.endswith(("alone.cpp", "_table.cpp")):
                put(path.replace("lib/", "tests/").replace(".cpp", "_test.cpp"), "\n")
        expected = [(f"{path}:{line}: ", words) for path in sorted(HOUSE) for line, words in HOUSE[path][1]]
        found = check(root)
        assert len(found) == len(expected), f"self-check: {found}"
        for line, (place, words) in zip(found, expected):
            assert line.startswith(place) and words in line, f"self-check: {line!r}, not {place + words!r}"


def main():
    self_check()
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    assert sources(root), f"{root}: no sources in lib/"
    problems = check(root)
    print("\n".join(problems) or f"{len(sources(root))} files of lib/ keep the rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
