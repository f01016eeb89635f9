# Compares SentencepieceTokenizer and SentencepieceDecoder with onnxruntime-extensions on models that are trained here.
"""usage: check_sentencepiece.py PROGRAM

Models are bytes, which the text form of compare.py's cases cannot hold. Exits with 77 if PyPI's sentencepiece or
onnxruntime-extensions is missing (tests/peers.sh --with-extensions).
"""
import io
import pathlib
import random
import subprocess
import sys
import tempfile

import case as cases
import extensions_peer
import numpy
import onnx
import tokenizer_vocabularies

try:
    import sentencepiece
except ImportError:
    sentencepiece = None

_SENTENCES = ("hello world", "the foxes", "", "café naïve", "unwanted  running ", "中国 日本語", "123 it's", "ﬁne Ⅳ")


def train(kind):
    """The bytes of a model of type unigram or bpe."""
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([tokenizer_vocabularies.TEXT] * 5 + ["hello world", "the foxes are running"] * 5), model_writer=writer,
        vocab_size=110, model_type=kind, hard_vocab_limit=False, minloglevel=2)
    return writer.getvalue()


def draw(model, source):
    """A case of each operator."""
    texts = numpy.array([source.choice(_SENTENCES) for _ in range(source.randint(1, 3))], dtype=object)
    begins, ends, is_fairseq = (numpy.array([source.random() < 0.5]) for _ in range(3))
    # The package shifts no ids where they are reversed.
    reverses = numpy.array([not is_fairseq[0] and source.random() < 0.5])
    inputs = [texts, numpy.array([source.choice([0, 1])]), numpy.zeros(1, numpy.float32), begins, ends, reverses, is_fairseq]
    tokenizer = cases.Case("SentencepieceTokenizer", inputs, 2, {"model": model}, domain="ai.onnx.contrib", opset=18)
    plain = cases.Case("SentencepieceTokenizer", inputs[:5] + [numpy.array([False])], 2, {"model": model}, domain="ai.onnx.contrib")
    ids = extensions_peer.expected(plain)()[0].astype(numpy.int64)
    return [tokenizer, cases.Case("SentencepieceDecoder", [ids], 1, {"model": model}, domain="ai.onnx.contrib", opset=18)]


def run(program, drawn):
    """The outputs of the program, or its message."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "inputs").mkdir()
        onnx.save(cases.build_model(drawn, (), {index: drawn.inputs[index].shape for index in drawn.present()}), folder / "model.onnx")
        for index in drawn.present():
            (folder / "inputs" / f"input_{index}.pb").write_bytes(cases.to_tensor(drawn.inputs[index], f"x{index}").SerializeToString())
        done = subprocess.run([program, "run", str(folder / "model.onnx"), "--input-dir", str(folder / "inputs"), "--output-dir",
                               str(folder / "outputs"), "--output-format", "pb", "-q"], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr
        return [cases.to_array(onnx.load_tensor(str(folder / "outputs" / f"output_{index}.pb"))) for index in drawn.wanted()]


def main():
    if sentencepiece is None or not extensions_peer.is_available():
        print("SKIPPED: sentencepiece or onnxruntime-extensions is missing")
        return 77
    wrong = count = 0
    source = random.Random(1)
    for kind in ("unigram", "bpe"):
        model = train(kind)
        for _ in range(15):
            for drawn in draw(model, source):
                count += 1
                found, expected = run(sys.argv[1], drawn), extensions_peer.expected(drawn)()
                if isinstance(found, str) or not all(numpy.array_equal(a, b) for a, b in zip(found, expected)):
                    wrong += 1
                    print(f"{drawn.op} of a {kind} model, {[each.tolist() for each in drawn.inputs]}: {found} where {expected} is expected")
    print(f"{count} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
