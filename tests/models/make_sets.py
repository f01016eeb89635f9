# Makes sample sets for `ortool run --data` from published data files, with plain Python.
"""usage: make_sets.py mnist|cifar|magika SHARED FOLDER [--raw]

mnist   the ten thousand test digits: FOLDER/set.npz, floats, normalized unless --raw
cifar   a thousand pictures: only FOLDER/MANIFEST.json, with absolute paths
magika  the first and last bytes of sample files, as the model expects: FOLDER/set.npz
"""
import argparse
import array
import gzip
import json
import os
import struct
import zipfile


def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)


def make_mnist(shared, folder, is_raw, input_name):
    base = os.path.join(shared, "data", "mnist-t10k")
    with gzip.open(os.path.join(base, "t10k-images-idx3-ubyte.gz")) as file:
        _, count, height, width = struct.unpack(">4I", file.read(16))
        pixels = file.read(count * height * width)
    with gzip.open(os.path.join(base, "t10k-labels-idx1-ubyte.gz")) as file:
        file.read(8)
        labels = file.read(count)
    scale = (lambda gray: float(gray)) if is_raw else (lambda gray: (gray / 255 - 0.1307) / 0.3081)
    floats = [struct.pack("<f", scale(gray)) for gray in range(256)]
    write_npz(os.path.join(folder, "set.npz"), {
        input_name: npy("<f4", (count, 1, height, width), b"".join(floats[gray] for gray in pixels)),
        "labels": npy("<i8", (count,), array.array("q", list(labels)).tobytes())})
    return os.path.join(folder, "set.npz")


def make_cifar(shared, folder, input_name):
    base = os.path.abspath(os.path.join(shared, "data", "cifar10-test-1000"))
    samples = []
    with open(os.path.join(base, "labels.tsv"), encoding="utf-8") as file:
        for line in file:
            name, number, _ = line.rstrip("\n").split("\t")
            samples.append({"name": name, "inputs": {input_name: os.path.join(base, name)}, "label": int(number)})
    path = os.path.join(folder, "MANIFEST.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"samples": samples}, file)
    return path


def magika_features(content, size=1024, block=4096, padding=256):
    """The first bytes without leading whitespace and the last without trailing whitespace, padded at the inner ends."""
    first = list(content[:block].lstrip()[:size])
    last = list(content[-block:].rstrip()[-size:])
    return first + [padding] * (size - len(first)) + [padding] * (size - len(last)) + last


def make_magika(shared, folder, input_name):
    base = os.path.join(shared, "data", "magika-samples")
    with open(os.path.join(shared, "models", "magika-v3_3", "config.min.json"), encoding="utf-8") as file:
        classes = json.load(file)["target_labels_space"]
    numbers, labels = array.array("i"), array.array("q")
    with open(os.path.join(base, "labels.tsv"), encoding="utf-8") as file:
        for line in file:
            name, label = line.split("\t")[:2]
            if label not in classes:
                continue
            with open(os.path.join(base, name), "rb") as sample:
                numbers.extend(magika_features(sample.read()))
            labels.append(classes.index(label))
    write_npz(os.path.join(folder, "set.npz"), {
        input_name: npy("<i4", (len(labels), 2048), numbers.tobytes()),
        "labels": npy("<i8", (len(labels),), labels.tobytes())})
    return os.path.join(folder, "set.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["mnist", "cifar", "magika"])
    parser.add_argument("shared")
    parser.add_argument("folder")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--input", default="input")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    if arguments.kind == "mnist":
        print(make_mnist(arguments.shared, arguments.folder, arguments.raw, arguments.input))
    elif arguments.kind == "cifar":
        print(make_cifar(arguments.shared, arguments.folder, arguments.input))
    else:
        print(make_magika(arguments.shared, arguments.folder, arguments.input))


if __name__ == "__main__":
    main()
