# Decode loop of run --loop: generates the same tokens as the program of the model's authors.
"""usage: decode_stories.py PROGRAM SHARED"""
import array
import json
import os
import struct
import subprocess
import sys
import tempfile

import make_sets


def read_pieces(path, count):
    """The strings of llama2.c's tokenizer file: a length, then a score, a length and bytes per token."""
    with open(path, "rb") as file:
        file.read(4)
        for _ in range(count):
            _, size = struct.unpack("<fi", file.read(8))
            yield file.read(size).decode("utf-8", "replace").replace("\n", "<0x0A>")


def tells_story(done, wanted, text):
    document = json.loads(done.stdout)
    print(done.stderr.decode(), json.dumps(document["loop"]))
    generated = document["loop"]["generated"][0]
    return (done.returncode == 0 and generated["tokens"] == [wanted] and text.endswith(generated["texts"][0])
            and len(generated["texts"][0]) > 100 and len(document["loop"]["step_ms"]) == len(wanted))


def main():
    program, shared = sys.argv[1:]
    model = os.path.join(shared, "models", "stories260k-llama-kv")
    if not os.path.isdir(model):
        print("SKIPPED: the model is not next to this tree")
        return 77
    with open(os.path.join(model, "greedy_reference.json"), encoding="utf-8") as file:
        reference = json.load(file)
    prompt, wanted = reference["prompt_ids"], reference["greedy_ids"]
    wanted = wanted[len(prompt):]
    with tempfile.TemporaryDirectory() as folder:
        labels, ids = os.path.join(folder, "labels.txt"), os.path.join(folder, "ids.npy")
        with open(labels, "w", encoding="utf-8") as file:
            file.writelines(piece + "\n" for piece in read_pieces(os.path.join(model, "tok512.bin"), 512))
        with open(ids, "wb") as file:
            file.write(make_sets.npy("<i8", (1, len(prompt)), array.array("q", prompt).tobytes()))
        runs = []
        for rules in (["past_key_values.*=present.*", "input_ids=argmax(logits)"], ["auto"]):
            loop = [word for rule in rules for word in ("--loop", rule)]
            runs.append(subprocess.run(
                [program, "run", model, "--input", "input_ids=" + ids, *loop, "--steps", str(len(wanted)), "--labels", labels,
                 "--json"], capture_output=True, check=False))
    is_right = all([tells_story(done, wanted, reference["text"]) for done in runs])
    print("as expected" if is_right else f"DIFFERENT: {wanted} {reference['text']}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
