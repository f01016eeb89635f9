# Generation inside one node: beam search, greedy search and sampling over GPT-2 and T5, as convert_generation writes them.
import os
import subprocess
import sys

import numpy
from zoo import entry, inputs_of

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORDS = 60
_PLAIN = {"max_length": 14, "min_length": 1, "num_beams": 3, "num_return_sequences": 2, "length_penalty": 1.0, "repetition_penalty": 1.0}
# Values of the inputs in the runs of each model.
_RUNS = [_PLAIN, {**_PLAIN, "min_length": 12, "length_penalty": 0.6, "repetition_penalty": 1.4},
         {**_PLAIN, "max_length": 9, "num_beams": 4, "num_return_sequences": 1, "length_penalty": 2.0}]


def random_feeds(path, values, rows):
    generator = numpy.random.default_rng(rows)
    feeds = {}
    for value in inputs_of(path):
        if value.name in values:
            feeds[value.name] = numpy.array([values[value.name]], numpy.float32 if "penalty" in value.name else numpy.int32)
        elif value.name == "attention_mask":
            feeds[value.name] = numpy.array([[int(column >= row) for column in range(5)] for row in range(rows)], numpy.int32)
        elif value.name == "input_ids":
            feeds[value.name] = generator.integers(3, _WORDS, (rows, 5)).astype(numpy.int32)
        elif value.name == "vocab_mask":
            feeds[value.name] = (generator.random(_WORDS) < 0.8).astype(numpy.int32)
        elif value.name == "prefix_vocab_mask":
            feeds[value.name] = (generator.random((rows, _WORDS)) < 0.8).astype(numpy.int32)
        else:
            raise ValueError(f"no value for the input {value.name}")
    return feeds


def add_search(name, kind, *options):
    @entry(f"search-{name}")
    def _(path):
        done = subprocess.run([sys.executable, os.path.join(_HERE, "search_build.py"), kind, path, *options], capture_output=True,
                              text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise RuntimeError(f"convert_generation: {done.stderr.strip().splitlines()[-1]}")
        return [random_feeds(path, values, rows) for rows, values in enumerate(_RUNS, 1)]


_ONE = ("--num_beams", "1", "--num_return_sequences", "1")
add_search("beam-gpt2", "gpt2", "--output_sequences_scores", "--output_token_scores")
add_search("beam-gpt2-early", "gpt2", "--early_stopping", "--no_repeat_ngram_size", "2")
add_search("beam-gpt2-masks", "gpt2", "--vocab_mask", "--prefix_vocab_mask", "--custom_attention_mask")
add_search("greedy-gpt2", "gpt2", *_ONE)
add_search("greedy-gpt2-masks", "gpt2", *_ONE, "--vocab_mask", "--custom_attention_mask")
# With so low a probability the likeliest word alone can be drawn.
add_search("sampling-gpt2", "gpt2", *_ONE, "--top_p", "0.001", "--temperature", "0.5")
add_search("beam-t5", "t5", "--output_sequences_scores")
add_search("beam-t5-masks", "t5", "--vocab_mask", "--no_repeat_ngram_size", "3")
