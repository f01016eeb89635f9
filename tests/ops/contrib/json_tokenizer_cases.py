# Cases of tokenizers of ai.onnx.contrib whose vocabulary is a file: HfJsonTokenizer, whose reference is Hugging Face's package
# (where onnxruntime-extensions differs, tokenizer.json is what its own library says), and RWKV's TrieTokenizer.
import base64
import json
import struct

import extensions_peer
import numpy
import tokenizer_vocabularies as vocabularies
from case import Case

try:
    import tokenizers
except ImportError:
    tokenizers = None

_SENTENCES = ("hello world", "unwanted running foxes", "The café isn't", "don't e-mail@example.com", "中国 日本語", "", "a b c", "123 12345 2",
              "\"quoted\" (the) fox; quick!", "tokenizers encode naive texts", "hello  world ", "x\ty\n\nz", "it's they'LL", " lead", "ΑΒΓ ñ 😀",
              "the  quick   brown\n\n  fox", "a<s>b </s> <mask>x")
_GPT2_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3_WORDS = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
_CLIP_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def _added(vocabulary, tokens, **options):
    for token in tokens:
        vocabulary.setdefault(token, len(vocabulary))
    return [{"id": vocabulary[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
             "special": True, **options} for token in tokens]


def _sequence(kind, key, parts):
    return {"type": kind, key: parts} if len(parts) > 1 else parts[0] if parts else None


def _template(begin, end, vocabulary):
    names = [name for name in (begin, end) if name]
    return {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": begin, "type_id": 0}}] * bool(begin) + [{"Sequence": {"id": "A", "type_id": 0}}]
            + [{"SpecialToken": {"id": end, "type_id": 0}}] * bool(end), "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                                                                                 {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in names}}


def _byte_level(random):
    word_end = random.choice(["", "", "</w>"])
    vocabulary, merges = vocabularies.byte_pairs((), word_end, count=60)
    merges = merges.split("\n")[1:]
    added = _added(vocabulary, ["<|endoftext|>", "<s>", "</s>"])
    added += _added(vocabulary, ["<mask>"], lstrip=random.choice([True, False]), rstrip=random.choice([True, False]),
                    single_word=random.choice([True, False]), normalized=random.choice([True, False]))
    words = random.choice([None, _GPT2_WORDS, _LLAMA3_WORDS, "\\p{N}"])
    prefix = random.choice([True, False])
    pre = [{"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": words is None}]
    if words:
        behavior = random.choice(["Isolated", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous", "Removed"])
        pre.insert(0, {"type": "Split", "pattern": {"Regex": words}, "behavior": behavior, "invert": False})
    normalizer = []
    if word_end:
        pre = [{"type": "Split", "pattern": {"Regex": _CLIP_WORDS}, "behavior": "Removed", "invert": True},
               {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]
        normalizer = [{"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, {"type": "Lowercase"}]
    post = random.choice([None, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
                          _template("<s>", "</s>", vocabulary), _template("", "</s>", vocabulary),
                          {"type": "RobertaProcessing", "sep": ["</s>", vocabulary["</s>"]], "cls": ["<s>", vocabulary["<s>"]],
                           "trim_offsets": True, "add_prefix_space": False}])
    pairs = random.choice([merges, [merge.split(" ") for merge in merges]])
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": word_end or None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": random.choice([True, False]), "vocab": vocabulary, "merges": pairs}
    return added, _sequence("Sequence", "normalizers", normalizer) if normalizer else None, \
        {"type": "Sequence", "pretokenizers": pre} if len(pre) > 1 else pre[0], post, model


def _character_pairs(random):
    """As Llama 2 has it: spaces are a character, unknown characters are bytes."""
    text = vocabularies.TEXT.replace(" ", "▁")
    merges = vocabularies._merges([list("▁" + word) for word in text.split("▁")], 70)  # pylint: disable=protected-access
    tokens = ["<unk>", "<s>", "</s>"]
    fallback = random.choice([True, False])
    if fallback:
        tokens += [f"<0x{byte:02X}>" for byte in range(256)]
    tokens += sorted(set(text)) + ["".join(pair) for pair in merges]
    vocabulary = {}
    for token in tokens:
        vocabulary.setdefault(token, len(vocabulary))
    added = _added(vocabulary, ["<unk>", "<s>", "</s>"])
    normalizer, pre = random.choice([
        ({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                                              {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, None),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, None),
        (None, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": random.choice(["first", "always", "never"]),
                "split": random.choice([True, False])})])
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": random.choice([True, False]), "byte_fallback": fallback, "vocab": vocabulary,
             "merges": [" ".join(pair) for pair in merges]}
    return added, normalizer, pre, random.choice([None, _template("<s>", "", vocabulary)]), model


def _character_map(entries):
    """A precompiled map of single bytes: units of a double-array trie, then the replacements."""
    units, texts = [0] * 1024, b""
    units[0] = 256 << 10  # the children of the root are at 256 ^ byte
    for place, (byte, text) in enumerate(entries.items()):
        node = 256 ^ byte
        leaf = 512 + place
        units[node] = byte | 1 << 8 | (node ^ leaf) << 10
        units[leaf] = 1 << 31 | len(texts)
        texts += text.encode() + b"\0"
    blob = b"".join(struct.pack("<I", unit) for unit in units)
    return base64.b64encode(struct.pack("<I", len(blob)) + blob + texts).decode()


def _unigram(random):
    fallback = random.choice([True, False])
    pieces = ["<pad>", "</s>", "<unk>", "<s>"]
    scores = [0.0] * 4
    if fallback:
        pieces += [f"<0x{byte:02X}>" for byte in range(256)]
        scores += [-5.0] * 256
    words = vocabularies.TEXT.split()
    more = sorted({"▁" + word[:size] for word in words for size in (0, 1, 2, 3, 5)} | {word[at:at + 2] for word in words for at in range(3)}
                  | set("".join(words)) - {""})
    pieces += [piece for piece in more if piece]
    scores += [-float(random.uniform(2, 12)) for piece in more if piece]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    added = _added(vocabulary, ["<pad>", "</s>", "<unk>", "<s>"])
    added += _added(vocabulary, ["<mask>"], lstrip=True) if random.random() < 0.5 else []
    normalizer = random.choice([None, {"type": "Precompiled", "precompiled_charsmap": _character_map({9: " ", 10: " ", 65: "a", 33: "!!", 40: ""})},
                                {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": True, "strip_right": True},
                                                                     {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]}])
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": random.choice(["always", "first"]), "split": random.choice([True, False])}
    pre = random.choice([metaspace, {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}])
    model = {"type": "Unigram", "unk_id": 2, "byte_fallback": fallback, "vocab": [list(each) for each in zip(pieces, scores)]}
    return added, normalizer, pre, random.choice([_template("", "</s>", vocabulary), _template("<s>", "</s>", vocabulary)]), model


def _wordpiece(random):
    vocabulary = {token: index for index, token in enumerate(vocabularies.WORDPIECES)}
    added = _added(vocabulary, ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"])
    normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": random.choice([True, False]),
                  "strip_accents": random.choice([None, True, False]), "lowercase": random.choice([True, False])}
    pre = random.choice([{"type": "BertPreTokenizer"}, {"type": "Whitespace"}, {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": random.choice(["Isolated", "Contiguous"])},
        {"type": "Digits", "individual_digits": random.choice([True, False])}]}])
    post = random.choice([_template("[CLS]", "[SEP]", vocabulary),
                          {"type": "BertProcessing", "sep": ["[SEP]", vocabulary["[SEP]"]], "cls": ["[CLS]", vocabulary["[CLS]"]]}])
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": random.choice([100, 6]),
             "vocab": vocabulary}
    if random.random() < 0.2:
        model = {"type": "WordLevel", "unk_token": "[UNK]", "vocab": vocabulary}
    return added, normalizer, pre, post, model


def _rows(document, texts, padding):
    tokenizer = tokenizers.Tokenizer.from_str(document)
    rows = [tokenizer.encode(text).ids for text in texts.ravel()]
    length = max(len(row) for row in rows)
    ids = numpy.array([row + [padding] * (length - len(row)) for row in rows], numpy.int64).reshape(*texts.shape, length)
    mask = numpy.array([[1] * len(row) + [0] * (length - len(row)) for row in rows], numpy.int64).reshape(*texts.shape, length)
    return [ids, mask]


def _json_tokenizers(random):
    for number in range(96):
        added, normalizer, pre, post, model = (_byte_level, _character_pairs, _unigram, _wordpiece)[number % 4](random)
        document = json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": normalizer,
                               "pre_tokenizer": pre, "post_processor": post, "decoder": None, "model": model}, ensure_ascii=False)
        shape = random.choice([(1,), (3,), (2, 2)])
        texts = numpy.array([random.choice(_SENTENCES) for _ in range(int(numpy.prod(shape)))], object).reshape(shape)
        pad = random.choice([None, *(each["content"] for each in added)])
        padding = next((each["id"] for each in added if each["content"] == pad), 0)
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": pad} if random.random() < 0.5 else {
            "pad_token": {"content": pad}} if pad else {}
        outputs = random.choice([1, 2])
        yield Case("HfJsonTokenizer", [texts], outputs, {"tokenizer_vocab": document, "tokenizer_config": json.dumps(config)},
                   domain="ai.onnx.contrib", opset=18,
                   expected=lambda args=(document, texts, padding), count=outputs: _rows(*args)[:count])


def _of_both(random):
    """Tokenizers that onnxruntime-extensions reads as Hugging Face does."""
    for _ in range(30):
        vocabulary, merges = vocabularies.byte_pairs((), count=60)
        added = _added(vocabulary, ["<|endoftext|>", "<s>", "<pad>"])
        model = {"type": "BPE", "vocab": vocabulary, "merges": merges.split("\n")[1:]}
        pre = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        document = json.dumps({"version": "1.0", "added_tokens": added, "normalizer": None, "pre_tokenizer": pre, "post_processor": random.choice([
            None, _template("<s>", "", vocabulary)]), "decoder": {"type": "ByteLevel"}, "model": model}, ensure_ascii=False)
        texts = [random.choice(_SENTENCES).replace("\t", " ").replace("\n", " ") for _ in range(random.randint(1, 3))]
        texts = numpy.array([text + random.choice(["", " <|endoftext|>"]) for text in texts], object)
        # Where a token pads that also ends texts, the package fills rows up with 0.
        config = {"tokenizer_class": random.choice(["GPT2Tokenizer", "PreTrainedTokenizerFast"]), "bos_token": "<s>", "eos_token": "<|endoftext|>",
                  "unk_token": "<|endoftext|>", "pad_token": random.choice([None, "<pad>"]),
                  "add_bos_token": random.choice([None, True])}
        yield Case("HfJsonTokenizer", [texts], 2, {"tokenizer_vocab": document, "tokenizer_config": json.dumps(
            {name: value for name, value in config.items() if value is not None})}, domain="ai.onnx.contrib", opset=18)


def _trie(random):
    for _ in range(36):
        tokens = [bytes([byte]) for byte in range(256)]
        words = vocabularies.TEXT.split() + ["中国", "a\n", "it's", "\"", "\\", " \t"]
        tokens += sorted({random.choice(["", " "]).encode() + random.choice(words).encode()[:random.randint(2, 9)] for _ in range(60)} - {b""})
        lines = []
        for index, token in enumerate(tokens):
            try:
                literal = repr(token.decode())
            except UnicodeDecodeError:
                literal = repr(token)
            lines.append(f"{index + 1} {literal} {len(token)}")
        vocabulary = {"vocab": "\n".join(lines)}
        texts = numpy.array([random.choice(_SENTENCES) for _ in range(random.randint(1, 4))], object)
        # Of several rows with different lengths in more dimensions, the package's process ends.
        yield Case("TrieTokenizer", [texts], 1, vocabulary, domain="ai.onnx.contrib", opset=18)
        sentence = random.choice(_SENTENCES[:9]) or "x"
        rows = numpy.array([[byte + 1 for byte in sentence.encode()]] * random.randint(1, 2), numpy.int64)
        yield Case("TrieDetokenizer", [rows], 1, vocabulary, domain="ai.onnx.contrib", opset=18)


def cases(random):
    if tokenizers:
        yield from _json_tokenizers(random)
    if extensions_peer.is_available():
        for family in (_of_both, _trie):
            for each in family(random):
                each.expected = extensions_peer.expected(each)
                yield each
