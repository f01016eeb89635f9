# Small vocabularies of tokenizers for cases: WordPiece, and byte-level pairs made from a few texts.
import json

TEXT = ("the quick brown fox jumps over the lazy dog and the other foxes are running; it's 2026, don't they'll we've hello world "
        "unwanted tokenizers encode café naïve texts into 123 numbers, 中国 日本語 — \"quoted\" (words) [MASK] e-mail@example.com\n")

WORDPIECES = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"] + sorted(
    {"hello", "world", "un", "##want", "##ed", "runn", "##ing", "the", "fox", "##es", "cafe", "café", "don", "t", "it", "s", "中", "国", "日",
     "本", "e", "mail", "123", "##23", "1", "##s", "quick", "##er", "tok", "##en", "##ize", "##izer", "a", "b", "##b", "##c", "naive"}
    | set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~“”—。"))


def byte_characters():
    """The characters that stand for bytes in byte-level vocabularies."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {**{byte: chr(byte) for byte in plain}, **{byte: chr(256 + place) for place, byte in enumerate(others)}}


def _merges(words, count):
    """The most frequent pairs of symbols, one after the other."""
    merges = []
    for _ in range(count):
        pairs = {}
        for word in words:
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        joined = []
        for word in words:
            out = []
            for symbol in word:
                if out and (out[-1], symbol) == best:
                    out[-1] += symbol
                else:
                    out.append(symbol)
            joined.append(out)
        words = joined
    return merges


def character_pairs(count=60):
    """(vocabulary, merges as text) of Llama's kind: characters, U+2581 for spaces, bytes for other characters."""
    words = [list("\u2581" + word) for word in TEXT.split()]
    merges = _merges(words, count)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", *sorted(set("".join(TEXT.split())) - set("中国xz"))]
    tokens += ["".join(pair) for pair in merges] + ["'s", "\u2581\u2581", "\u2581=", "==", "123"]
    merges += [("\u2581", "\u2581"), ("=", "=")]
    return {token: index for index, token in enumerate(dict.fromkeys(tokens))}, "\n".join(" ".join(pair) for pair in merges)


def byte_pairs(special, word_end="", count=60):
    """(vocabulary, merges as text) of a byte-level tokenizer."""
    characters = byte_characters()
    words = []
    for index, word in enumerate(TEXT.lower().split() if word_end else TEXT.split()):
        symbols = [characters[byte] for byte in ((" " if index and not word_end else "") + word).encode()]
        words.append(symbols[:-1] + [symbols[-1] + word_end])
    merges = _merges(words, count)
    tokens = [*special[:4]] + list(characters.values())
    if word_end:
        tokens += [each + word_end for each in characters.values()]
    tokens += ["".join(pair) for pair in merges] + list(special[4:])
    vocabulary = {}
    for token in tokens:
        vocabulary.setdefault(token, len(vocabulary))
    return vocabulary, "#version: 0.2\n" + "\n".join(" ".join(pair) for pair in merges)


def as_json(vocabulary):
    return json.dumps(vocabulary, ensure_ascii=False)
