# Cases of operators on texts: com.microsoft's Tokenizer, and those of ai.onnx.contrib, whose reference is PyPI's
# onnxruntime-extensions.
import extensions_peer
import numpy
import tokenizer_vocabularies as vocabularies
from case import Case

try:
    import farmhash
except ImportError:
    farmhash = None

_WORDS = ("alpha", "Beta", "GAMMA", "x", "", "naïve", "Éclair", "日本語", "a,b", "tab\tstop", " padded ", "12 34", "foo_bar", "ÀÖ×Þ", "mañana 😀")


def _texts(random, shape, words=_WORDS):
    count = int(numpy.prod(shape))
    texts = numpy.empty(count, dtype=object)
    for index in range(count):
        texts[index] = random.choice([" ", "", ",", "-"]).join(random.choice(words) for _ in range(random.randint(0, 4)))
    return texts.reshape(shape)


def _text(value):
    return numpy.array([value], dtype=object)


def _shape(random):
    return random.choice([(1,), (3,), (7,), (2, 3), (1, 4), (2, 1, 2)])


def _string_functions(random):
    for _ in range(30):
        shape = _shape(random)
        for op in ("StringLower", "StringUpper", "StringStrip", "StringLength"):
            yield op, [_texts(random, shape)], 1, {}
        yield "StringConcat", [_texts(random, shape), _texts(random, shape)], 1, {}
        some = _texts(random, shape, ("a", "b"))
        yield "StringEqual", [some, _texts(random, shape, ("a", "b"))], 1, {}
        yield "StringJoin", [_texts(random, shape), _text(random.choice([";", "", " - "])),
                             numpy.array([random.randrange(len(shape))])], 1, {}
        yield "StringSplit", [_texts(random, (random.randint(1, 5),), ("alpha", "x y", ",", "", " ", "b;c")),
                              _text(random.choice([",", " ", ", ", ";", ""])), numpy.array([random.choice([True, False])])], 3, {}
        for op in ("StringToHashBucket", "StringToHashBucketFast"):
            texts = _texts(random, shape)
            texts.ravel()[0] = "word " * random.randint(0, 40) + "x" * random.randint(0, 9)
            yield op, [texts, numpy.array([random.choice([1, 7, 1000, 2**62])])], 1, {}
        length = random.randint(1, 6)
        yield "MaskedFill", [_texts(random, (length,)), random.integers(0, 2, length).astype(bool)], 1, {}


def _regex(random):
    replacements = [(r"\s+", r"_"), (r"(\w)(\w)", r"\2\1"), (r"[aeiou]", ""), (r"(a|b)c?", r"<\1>"), (r"\d", r"#\0"), (r"^.", "")]
    ecma = [(r"\s+", r"_"), (r"([a-z])([a-z])", r"$2$1"), (r"[aeiou]", ""), (r"(a|b)(c)?", r"<$1|$2>"), (r"\d", r"[$&$$]"), (r"x*", "-"),
            (r"[a-f]", "$`|$'")]
    plain = ("alpha", "Beta", "x", "", "12 34", "foo_bar", "ab", "bc")
    for _ in range(30):
        pattern, rewrite = random.choice(replacements)
        yield "StringRegexReplace", [_texts(random, _shape(random)), _text(pattern), _text(rewrite)], 1, {
            "global_replace": random.choice([None, 0, 1])}
        pattern, rewrite = random.choice(ecma)
        yield "StringECMARegexReplace", [_texts(random, _shape(random), plain), _text(pattern), _text(rewrite)], 1, {
            "global_replace": random.choice([None, 0, 1]), "ignore_case": random.choice([None, 0, 1])}
        pattern, kept = random.choice([(r"(\s)", r"(\s)"), (r"(\s|,)", ""), (r"(\s+)", ""), (r"(,|-)", r","), (r"([aeiou])", r"[ae]")])
        texts = _texts(random, (random.randint(1, 4),))
        yield "StringRegexSplitWithOffsets", [texts, _text(pattern), _text(kept)], 4, {}
        yield "StringECMARegexSplitWithOffsets", [_texts(random, (random.randint(1, 4),), plain), _text(pattern), _text(kept)], 4, {
            "ignore_case": random.choice([None, 0, 1])}


def _tables(random):
    for _ in range(30):
        words = [f"w{index}" for index in range(random.randint(1, 6))]
        size = random.randint(1, 4)
        vectors = [random.integers(-3, 9, size) for _ in words]
        table = "\n".join(f"{word}\t{' '.join(map(str, vector))}" for word, vector in zip(words, vectors))
        shape = random.choice([(2,), (5,), (2, 2)])
        texts = numpy.array([random.choice(words + ["other"]) for _ in range(int(numpy.prod(shape)))], dtype=object).reshape(shape)
        yield "StringMapping", [texts], 1, {"map": "\n".join(f"{word}\t{word.upper()} !" for word in words)}
        yield "StringToVector", [texts], 1, {"map": table, "unk": " ".join(["-1"] * size)}
        rows = numpy.stack([random.choice(vectors + [numpy.full(size, 99)]) for _ in range(4)]).astype(numpy.int64)
        yield "VectorToString", [rows.ravel() if size == 1 else rows], 1, {"map": table, "unk": "?"}


def _segments(random):
    for _ in range(30):
        sizes = random.integers(0, 4, random.randint(1, 5))
        splits = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int64)
        if splits[-1] == 0:
            splits[-1] = 1
        yield "RaggedTensorToSparse", [splits], 2, {}
        yield "RaggedTensorToDense", [numpy.arange(3), random.integers(0, 99, int(splits[-1])), numpy.array([-7]), splits], 1, {
            "missing_value": random.choice([None, -1, 5])}
        # What the package takes for what fills rows up only has to have as many elements.
        yield "StringRaggedTensorToDense", [numpy.arange(3), _texts(random, (int(splits[-1]),)), splits, _texts(random, splits.shape)], 1, {}
        ids = numpy.cumsum(random.integers(0, 2, random.randint(1, 7))).astype(numpy.int64)
        yield "SegmentSum", [random.standard_normal((len(ids), *random.choice([(), (3,), (2, 2)]))).astype(numpy.float32), ids], 1, {}
        runs = numpy.repeat(random.integers(0, 3, 5), random.integers(1, 4, 5)).astype(numpy.int64)
        yield "SegmentExtraction", [runs if random.random() < 0.5 else runs[None]], 2, {}
        size = random.randint(1, 6)
        yield "Inverse", [(random.standard_normal((size, size)) + 3 * numpy.eye(size)).astype(numpy.float32)], 1, {}
        yield "NegPos", [random.standard_normal(random.choice([(3,), (2, 4)])).astype(numpy.float32)], 2, {}


_SENTENCES = ("hello world", "unwanted running foxes", "The café isn't", "don't e-mail@example.com", "中国 日本語", "", "a b c", "123 1 2",
              "\"quoted\" (the) fox; quick!", "tokenizers encode naive texts", "hello  world ", "x\ty\nz", "it's they'll", "— “quoted” 。")


def _bert(random):
    vocabulary = "\n".join(vocabularies.WORDPIECES)
    ids = {token: index for index, token in enumerate(vocabularies.WORDPIECES)}
    for _ in range(30):
        flags = {name: random.choice([None, 0, 1]) for name in ("do_lower_case", "strip_accents", "tokenize_chinese_chars")}
        # The package truncates one text alone, and keeps a leading space where words are not split.
        texts = numpy.array([random.choice(_SENTENCES) for _ in range(random.choice([1, 2]))], dtype=object)
        basic = random.choice([None, None, 0])
        if basic == 0:
            texts = numpy.array([" ".join(text.split()) for text in texts], dtype=object)
        length = random.choice([None, 5, 9]) if len(texts) == 1 else None
        yield "BertTokenizer", [texts], 3, {**flags, "vocab_file": vocabulary, "do_basic_tokenize": basic, "max_length": length}
        pair = numpy.array([random.choice(_SENTENCES) for _ in range(2)], dtype=object)
        yield "HfBertTokenizer", [pair], random.choice([2, 3]), {**flags, "vocab_file": vocabulary}
        yield "BasicTokenizer", [_text(random.choice(_SENTENCES))], 1, {**flags, "tokenize_punctuation": random.choice([None, 0, 1])}
        words = numpy.array([random.choice(("unwanted", "running", "foxes", "xyz", "quick 123", "", "tokenizer")) for _ in range(5)], dtype=object)
        rows = random.choice([numpy.zeros(0, numpy.int64), numpy.array([0, 2], numpy.int64), numpy.array([0, 1, 4], numpy.int64)])
        yield "WordpieceTokenizer", [words, rows], 4, {"vocab": vocabularies.as_json(ids), "suffix_indicator": "##",
                                                       "unknown_token": "[UNK]", "max_input_chars_per_word": random.choice([None, 6])}
        numbers = random.integers(-1, len(ids) + 1, random.randint(1, 12)).astype(numpy.int64)
        uses = random.choice([0, 1])
        ranges = numpy.sort(random.integers(0, len(numbers) + 1, (2, 2)), axis=1).astype(numpy.int64)
        yield "BertTokenizerDecoder", [numbers, ranges], 1, {
            "vocab_file": vocabulary, "use_indices": uses, "skip_special_tokens": random.choice([None, 0]),
            "clean_up_tokenization_spaces": random.choice([None, 0, 1])}


def _byte_pairs(random):
    gpt2 = vocabularies.byte_pairs((), count=60)
    gpt2[0]["<|endoftext|>"] = len(gpt2[0])
    clip = vocabularies.byte_pairs((), "</w>")
    for token in ("<|startoftext|>", "<|endoftext|>"):
        clip[0][token] = len(clip[0])
    roberta = vocabularies.byte_pairs(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    characters, pairs = vocabularies.character_pairs()
    decoder = {"id_vocab": "\n".join(sorted(gpt2[0], key=gpt2[0].get)),
               "byte_decoder": "\n".join(f"{ord(character)}\t{byte}" for byte, character in vocabularies.byte_characters().items()),
               "all_special_ids": str(gpt2[0]["<|endoftext|>"])}
    for _ in range(30):
        for op, (vocabulary, merges), special in (("GPT2Tokenizer", gpt2, "<|endoftext|>"), ("CLIPTokenizer", clip, ""),
                                                  ("RobertaTokenizer", roberta, "</s>")):
            texts = [random.choice(_SENTENCES) + random.choice(["", "", special and " " + special + "x"]) for _ in range(random.randint(1, 3))]
            # Of an empty text the package's RobertaTokenizer makes </s> alone.
            texts = [text or "a" for text in texts]
            length = random.choice([None, None, 4, 12])
            if op != "GPT2Tokenizer":
                # There, the rest of a row that is cut off begins the next one, and tabs are part of CLIP's words.
                texts = texts[:1] if length else texts
                texts = [text.replace("\t", " ").replace("\n", " ") for text in texts]
            yield op, [numpy.array(texts, dtype=object)], 2, {"vocab": vocabularies.as_json(vocabulary), "merges": merges,
                                                              "padding_length": length}
        # Rows of different lengths are filled up by the package with 2^32 - 1, and texts that are cut off or hold special tokens have
        # the places of others.
        text = random.choice(["", "", " ", "  "]) + random.choice([" ", "", "  ", "</s>", "\n"]).join(
            random.choice(_SENTENCES + ("==", "12345", "e" * 130)) for _ in range(random.randint(1, 5)))
        yield "SpmTokenizer", [_text(text)], 2, {"vocab": vocabularies.as_json(characters), "merges": pairs}
        # Of several rows the package reads beyond their texts.
        word = random.choice(_SENTENCES)
        row = [gpt2[0][vocabularies.byte_characters()[byte]] for byte in word.encode()]
        row += [gpt2[0]["<|endoftext|>"]] * random.choice([0, 0, 1])
        rows = numpy.array(row or [0x41], numpy.int64)
        rows = rows[None] if random.random() < 0.5 else rows
        yield "BpeDecoder", [rows], 1, {**decoder, "skip_special_tokens": random.choice([None, 0, 1])}


def _tokenizer(random):
    words = ("Hello", "world", "a", "b.c", "don't", "日本語", "é", "xx", "\n", "", "tab\tx", "e-mail@x.org", "😀", "2024-01-01")
    characters = [{"separators": [""]}, {"tokenexp": "."}]
    patterns = [{"separators": [" "]}, {"separators": [",", " "]}, {"separators": [r"[\s,\-]+", "x"]}, {"separators": ["é?"]},
                {"separators": [r"\b"]}, {"separators": ["^", "o", "$"]}, {"separators": [r"(?i)H|e|el", r"\d+", "[.@]"]},
                {"tokenexp": r"\b\w\w+\b"}, {"tokenexp": "[a-zA-Z0-9_]+"}, {"tokenexp": "[^ ]+"}, {"tokenexp": "l|lo|x*"},
                {"tokenexp": r"\p{Han}|[a-z]+"}, {"tokenexp": "^.."}, {"separators": [" "], "tokenexp": "x"}]
    for _ in range(40):
        shape = random.choice([(1,), (3,), (40,), (2, 2), (1, 5)])
        is_by_character = random.random() < 0.2
        attributes = dict(random.choice(characters if is_by_character else patterns))
        attributes.update(mark=random.choice([0, 1]), pad_value=random.choice(["#", "", "<pad>"]),
                          mincharnum=1 if is_by_character else random.choice([1, 1, 2, 3]))
        yield Case("Tokenizer", [_texts(random, shape, words)], 1, attributes)
    for shape in ((0,), (2, 0), (0, 3)):
        yield Case("Tokenizer", [numpy.empty(shape, dtype=object)], 1,
                   {"separators": [" "], "mark": 1, "pad_value": "#", "mincharnum": 1})


_IN_BOTH_DOMAINS = ("BasicTokenizer", "BertTokenizer", "BertTokenizerDecoder", "BpeDecoder", "CLIPTokenizer", "GPT2Tokenizer",
                    "HfBertTokenizer", "RobertaTokenizer", "SpmTokenizer", "WordpieceTokenizer")


def cases(random):
    yield from _tokenizer(random)
    if not extensions_peer.is_available():
        return
    for family in (_string_functions, _regex, _tables, _segments, _bert, _byte_pairs):
        for op, inputs, outputs, attributes in family(random):
            domain = "com.microsoft.extensions" if op in _IN_BOTH_DOMAINS and random.random() < 0.3 else "ai.onnx.contrib"
            each = Case(op, inputs, outputs, attributes, domain=domain)
            if op == "StringToHashBucketFast":
                # The package hashes by std::hash since it is built without FarmHash; TensorFlow, where such models come from, does not.
                if farmhash:
                    each.expected = lambda texts=inputs[0], buckets=int(inputs[1][0]): [numpy.array(
                        [farmhash.fingerprint64(text) % buckets for text in texts.ravel()], numpy.int64).reshape(texts.shape)]
                    yield each
                continue
            each.expected = extensions_peer.expected(Case(op, inputs, outputs, attributes, domain=domain, opset=18))
            yield each
