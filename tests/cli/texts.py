"""Texts to try, and a generator of more."""
# Hard cases: sentences of several languages, contractions, numbers, all kinds of white space.
NASTY = [
    "I'm 26岁, 住在 101号. 很高兴认识你!   ", "don't we'll they've I'D you're it's 'tis '",
    "  two  spaces \n\n \t end ", "a\r\nb\r\n\r\n c", "\u00a0x\u00a0 y\u0085z \u3000w\u200bv\u2028q",
    "²³½ Ⅷ ٣٤ १२ x1y2", "é e\u0301 ñ Å ß ﬁ ǅ ʰ ا ב", "👍🏽👩‍👩‍👧 🇫🇷!!", "\x00\x01\x1c\x1f\x7f",
    "''''s 's's 'll'll", " '", "' ", "\n", " ", "_a_ __ a_b", "我爱吃苹果。我爱吃香蕉！", "{}[]()<>|<|>|<|endoftext|",
    "aaaaaaaaaaaaaaaaaaaaaa", "\t\t\tx = 1;\n\t\t\ty", "١٢٣abc١٢٣", "\u180ea\u1680b\ufeffc",
]
# Bytes that are not text, and text that is rare.
ODD = [
    b"", b"\0", b"a\0b", b"\x80", b"\xbf\xbf", b"\xc0\xaf", b"\xc1\x81", b"\xe0\x80\xaf",
    b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf5",
    b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xe4\xbd", b"x\xf0\x9f\x91", b"\xf0\x9f", b"\xe4\xbd \xe4",
    b"\r\n\r\n", b"\xc2\xa0 \xc2\xa0", b"\xc2\x85", b"\xe3\x80\x80", b"\xe2\x80\x8b", b"\xef\xbb\xbfa",
    b" \xff ", b"\xe4\xe4\xbd\xa0\xbd", b"\xf0\x9f\x91\xf0\x9f\x91\x8d\x8d", bytes(range(256)),
    bytes(reversed(range(256))),
]


def prose(rng, size, separator="<|endoftext|>", documents=40):
    """About `size` bytes of text like real text: frequent and rare words, several scripts, documents."""
    letters = ["e", "t", "a", "o", "n", "s", "é", "我", "的", "山", "'s", "7", "20", "-", ".", ",", "ß"]
    words = ["".join(rng.choices(letters, weights=range(len(letters), 0, -1), k=rng.randint(1, 7)))
             for _ in range(3000)]
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
