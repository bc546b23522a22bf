"""The contract in its slowest and plainest form: what the program's results are compared with."""
import re
import unicodedata
from collections import Counter

from formats import spell

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr,
                                                                                      range(0x2000, 0x200B)))


def pretokens(text, pattern="gpt2"):
    """The pretokens of bytes without special tokens. Characters must be known to Python's Unicode tables."""
    if pattern == "none":
        return [text] if text else []
    characters = text.decode("utf-8", "surrogateescape")
    if pattern == "whitespace":
        found = re.findall(f"[^{WHITE_SPACE}]+", characters)
    else:
        # Classes of the characters that occur, so that the expression stays small; never empty.
        kinds = {"L": ["a"], "N": ["0"]}
        for character in set(characters):
            kinds.setdefault(unicodedata.category(character)[0], []).append(character)
        letters, digits = ("[" + "".join(map(re.escape, kinds[kind])) + "]" for kind in "LN")
        other = f"[^{WHITE_SPACE}{letters[1:-1]}{digits[1:-1]}]"
        space = f"[{WHITE_SPACE}]"
        found = re.findall(f"'(?:[sdmt]|ll|ve|re)| ?{letters}+| ?{digits}+| ?{other}+"
                           f"|{space}+(?![^{WHITE_SPACE}])|{space}+", characters)
    return [piece.encode("utf-8", "surrogateescape") for piece in found]


def cut_at_specials(text, specials):
    """[(bytes, is special)]: leftmost, the longest winning; empty stretches left out."""
    if not specials:
        return [(text, False)] if text else []
    longest_first = sorted((special.encode() for special in specials), key=len, reverse=True)
    parts = re.split(b"(" + b"|".join(map(re.escape, longest_first)) + b")", text)
    return [(part, i % 2 == 1) for i, part in enumerate(parts) if part]


def words(text, specials=(), pattern="gpt2"):
    """All pretokens of a text, in its order."""
    return [pretoken for part, special in cut_at_specials(text, specials) if not special
            for pretoken in pretokens(part, pattern)]


def merge_all(symbols, pair):
    """Joins every occurrence of a pair, leftmost first, without overlap."""
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def train(text, merges, specials=(), pattern="gpt2", min_frequency=1, tie_break="bytes"):
    """The merges learnt, as pairs of bytes: counts everything again at each step. Of equally frequent pairs
    the one with the greatest bytes is merged, or with "hf" the one with the smallest ids."""
    counts = Counter(words(text, specials, pattern))
    cut = [([bytes([byte]) for byte in pretoken], count) for pretoken, count in counts.items()]
    tokens = sorted((bytes([byte]) for byte in range(256)), key=spell)

    def preferred(pair):
        return pair if tie_break == "bytes" else tuple(-tokens.index(token) for token in pair)

    learnt = []
    while len(learnt) < merges:
        pairs = Counter()
        for symbols, count in cut:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], preferred(pair)), default=None)
        if best is None or pairs[best] < min_frequency:
            break
        learnt.append(best)
        tokens.append(best[0] + best[1])
        cut = [(merge_all(symbols, best), count) for symbols, count in cut]
    return learnt


def encode_pretoken(pretoken, ranks):
    """Its tokens: the lowest rank first, leftmost on ties, one at a time."""
    symbols = [bytes([byte]) for byte in pretoken]
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(zip(symbols, symbols[1:])) if pair in ranks]
        if not pairs:
            return symbols
        _, i = min(pairs)
        symbols[i:i + 2] = [symbols[i] + symbols[i + 1]]


def encode(text, merges, specials=(), pattern="gpt2"):
    """The tokens of a text, special tokens among them, as bytes."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for part, special in cut_at_specials(text, specials):
        if special:
            tokens.append(part)
        else:
            for pretoken in pretokens(part, pattern):
                tokens += encode_pretoken(pretoken, ranks)
    return tokens


def documents(files, separator, rule, specials=()):
    """The documents of files, each as [(bytes, is special)], with the separator where the rule wants it."""
    found = []
    for text in files:
        rest = []
        for part in cut_at_specials(text, specials):
            if part == (separator, True):
                found.append((rest, True))
                rest = []
            else:
                rest.append(part)
        if rest:
            found.append((rest, False))
    mark = [(separator, True)]
    if rule == "append":
        return [parts + mark for parts, _ in found]
    if rule == "prepend":
        return [mark + parts for parts, _ in found]
    return [parts + mark * ended for parts, ended in found]
