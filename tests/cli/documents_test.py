"""`encode`: where documents begin and end, and the separator between them."""
import json
import unittest

import formats
import models
import tokmill
from tokmill import EOT, scaled

FILES = [b"", b"x", EOT.encode(), b"x" + EOT.encode(), EOT.encode() + b"x", EOT.encode() * 2,
         b"x" + EOT.encode() * 3 + b"y",
         b"one" + EOT.encode() + b"two", b"one" + EOT.encode() + b"two" + EOT.encode(), b" \n ",
         b"\n" + EOT.encode() + b"\n",
         b"<|endoftext|", b"<|pad|>", b"<|pad|>" + EOT.encode() + b"<|pad|>",
         b"\xff" + EOT.encode() + b"\xfe", b"a b  c\n" * 50]


class TheRule(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.specials = [EOT, "<|pad|>"]
        self.tokenizer = self.bytes_tokenizer(*self.specials)
        self.id_of = {special.encode(): 256 + i for i, special in enumerate(self.specials)}

    def model(self, files, rule, separator=EOT, specials=None):
        """(ids, document ends) by the model; the tokens are the bytes and the special tokens."""
        ids, ends = [], []
        for document in models.documents(files, separator.encode() if separator else None, rule,
                                         specials or self.specials):
            for part, special in document:
                ids += [self.id_of[part]] if special else list(part)
            ends.append(len(ids))
        return ids, ends

    def check(self, files, *options, **model):
        for i, data in enumerate(files):
            self.put(f"{self.made}/{i:03}.txt", data)
        self.put(f"{self.made}/.keep", b"") if not files else None
        rule = model.pop("rule", "append")
        shards = self.encode(self.at(str(self.made)), "--eot", rule, *options, tokenizer=self.tokenizer)
        ids, ends = self.model(files, rule, **model)
        self.assertEqual(shards.ids, ids, f"{files} {rule} {options}")
        self.assertEqual(shards.ends, ends, f"{files} {rule} {options}")
        self.assertEqual((shards.manifest["tokens"], shards.manifest["documents"]), (len(ids), len(ends)))
        self.assertEqual(shards.manifest["text_bytes"], sum(map(len, files)))
        return shards

    def test_every_case(self):
        for data in FILES:
            for rule in ("append", "prepend", "none"):
                self.check([data], rule=rule)

    def test_several_files(self):
        for rule in ("append", "prepend", "none"):
            self.check(FILES, rule=rule)
            self.check(FILES[::-1], "--shard-size", 10, rule=rule)
            self.check([b"", b"", b""], rule=rule)

    def test_append_is_the_default(self):
        ids = self.encode(self.put("text.txt", "x"), tokenizer=self.tokenizer).ids
        self.assertEqual(ids, [ord("x"), 256])

    def test_random_files_in_shards_of_all_sizes(self):
        pieces = [EOT, EOT, "<|pad|>", "x", "y ", "\n", " word", "é", "<|", "|>", ""]
        for _ in range(scaled(100)):
            files = ["".join(self.rng.choices(pieces, k=self.rng.randint(0, 12))).encode()
                     for _ in range(self.rng.randint(1, 4))]
            self.check(files, "--shard-size", self.rng.choice([1, 2, 3, 5, 8, 13, 21, 100]), "-j",
                       self.rng.choice([1, 2]),
                       rule=self.rng.choice(["append", "prepend", "none"]))

    def test_another_separator(self):
        files = [b"a<|pad|>b" + EOT.encode() + b"c<|pad|>"]
        for rule in ("append", "prepend", "none"):
            shards = self.check(files, "--eot-token", "<|pad|>", rule=rule, separator="<|pad|>")
            self.assertEqual(shards.manifest["separator"], {"rule": rule, "token": "<|pad|>", "id": 257})

    def test_document_longer_than_a_shard(self):
        text = (b"word " * 100 + EOT.encode()) + b"last " * 70
        for rule in ("append", "prepend", "none"):
            shards = self.check([text, b"next"], "--shard-size", 64, rule=rule)
            self.assertGreater(len(shards.names), 5)
            holding = [i for i, ends in enumerate(shards.part_ends) if ends]
            self.assertLess(len(holding), len(shards.names),
                            "a shard in which no document ends has an empty index")

    def test_white_space_that_the_pattern_drops(self):
        """Under `whitespace` the shard size still changes neither ids nor documents."""
        trained = self.train(self.put("words.txt", "a b"), "--pattern", "whitespace", "--special", EOT,
                             vocabulary=257)
        for text in (b" " * 40, b" " * 40 + EOT.encode(), b"x" + b" " * 40, b" " * 40 + b"x",
                     EOT.encode() + b" " * 40,
                     b"x" + EOT.encode() + b" " * 40 + EOT.encode() + b"y"):
            found = []
            for size in ("1", "7", "30", "64M"):
                shards = self.encode(self.put("text.txt", text), "--shard-size", size, tokenizer=trained)
                found.append((shards.ids, shards.ends))
                self.tokmill("verify", shards.path, "--against", self.at("text.txt"))
            self.assertEqual(found, found[-1:] * 4, text)


class TheSeparator(tokmill.TestCase):
    def setUp(self):
        super().setUp()
        self.text = self.put("text.txt", b"x")

    def test_only_special_token_is_the_separator(self):
        shards = self.encode(self.text, tokenizer=self.bytes_tokenizer("<end>"))
        self.assertEqual(shards.ids, [ord("x"), 256])
        self.assertEqual(shards.manifest["separator"]["token"], "<end>")

    def test_usual_one_among_several(self):
        shards = self.encode(self.text, tokenizer=self.bytes_tokenizer("<a>", EOT, "<b>"))
        self.assertEqual(shards.ids, [ord("x"), 257])

    def test_none_to_be_had(self):
        for specials, says in (((), "--eot none"), (("<a>", "<b>"), "--eot-token")):
            tokenizer = self.bytes_tokenizer(*specials)
            for rule in ("append", "prepend"):
                self.fails("encode", self.text, "--tokenizer", tokenizer, "--eot", rule, "-o", self.at("x"),
                           code=2, says=says)
            shards = self.encode(self.text, "--eot", "none", tokenizer=tokenizer)
            self.assertEqual((shards.ids, shards.ends), ([ord("x")], [1]))
        self.fails("encode", self.text, "--tokenizer", self.bytes_tokenizer("<a>"), "--eot-token", "<b>",
                   "-o", self.at("x"),
                   code=2, says=["<b>", "--special"])
        self.fails("encode", self.text, "--tokenizer", self.bytes_tokenizer("<a>"), "--eot", "sometimes",
                   "-o", self.at("x"),
                   code=2, says="sometimes")
        self.assertNotIn("x", __import__("os").listdir(self.directory))

    def test_special_given_with_the_tokenizer(self):
        """What the vocabulary does not name gets the next ids; what it names keeps its own."""
        shards = self.encode(self.put("t.txt", "x<new>y"), "--special", "<new>",
                             tokenizer=self.bytes_tokenizer())
        self.assertEqual(shards.ids, [ord("x"), 256, ord("y"), 256])
        directory = self.bytes_tokenizer(EOT)
        model = json.loads(formats.read(directory + "/tokenizer.json"))
        self.put("pair/vocab.json", json.dumps(model["model"]["vocab"]))
        self.put("pair/merges.txt", "")
        text = self.put("t.txt", "x" + EOT + "y<new>")
        shards = self.encode(text, "--special", EOT, "--special", "<new>", tokenizer=self.at("pair"))
        self.assertEqual(shards.ids, [ord("x"), 256, ord("y"), 257, 256])
        self.assertEqual(shards.manifest["vocabulary"], 258)


if __name__ == "__main__":
    unittest.main()
