# Compares models that ortool loaded and saved with the originals, message by message.
"""Usage: compare_copies.py COPY_PROGRAM FOLDER...   (exit 77: nothing to compare)

Every field of every message must be equal: presence, order of repeated fields, unknown fields. Two
exceptions are counted: nodes of an unsorted graph come back sorted, and models that the program
refuses are not compared (refusals are listed; folders called "broken" are skipped). Archives
(.tar.xz) in the folders are unpacked first.
"""
import collections
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

try:
    import onnx
except ImportError:
    print("SKIPPED: this Python has no onnx package")
    sys.exit(77)


def canonical(message):
    return message.SerializeToString(deterministic=True)


def differences(one, other, place):
    """The names of the fields in which two messages differ."""
    if canonical(one) == canonical(other):
        return
    for field in one.DESCRIPTOR.fields:
        here = f"{place}.{field.name}"
        if field.is_repeated:
            first, second = getattr(one, field.name), getattr(other, field.name)
            if len(first) != len(second):
                yield f"{here}: {len(first)} entries became {len(second)}"
                continue
            for index, pair in enumerate(zip(first, second)):
                if field.message_type:
                    yield from differences(*pair, f"{here}[{index}]")
                elif repr(pair[0]) != repr(pair[1]):
                    yield f"{here}[{index}]: {pair[0]!r:.60} became {pair[1]!r:.60}"
        elif one.HasField(field.name) != other.HasField(field.name):
            yield f"{here}: {'lost' if one.HasField(field.name) else 'made up'}"
        elif field.message_type:
            if one.HasField(field.name):
                yield from differences(getattr(one, field.name), getattr(other, field.name), here)
        elif repr(getattr(one, field.name)) != repr(getattr(other, field.name)):
            yield f"{here}: {getattr(one, field.name)!r:.60} became {getattr(other, field.name)!r:.60}"
    yield f"{place}: differs"


def is_sorted(graph, outer):
    made = set(outer) | {""} | {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    made |= {tensor.values.name for tensor in graph.sparse_initializer}
    will_be = {name for node in graph.node for name in node.output}
    for node in graph.node:
        if any(name not in made and name in will_be for name in node.input):
            return False
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                reads = {name for each in inner.node for name in each.input}
                if not is_sorted(inner, made) or any(name in will_be and name not in made for name in reads):
                    return False
        made |= set(node.output)
    return True


def sort_by_text(graph):
    nodes = sorted(graph.node, key=canonical)
    del graph.node[:]
    graph.node.extend(nodes)


def models_in(folders, scratch):
    for folder in folders:
        if not os.path.isdir(folder):
            print(f"SKIPPED: there is no {folder}")
            continue
        places = [folder]
        for name in sorted(os.listdir(folder)):
            if name.endswith(".tar.xz"):
                place = tempfile.mkdtemp(dir=scratch)
                with tarfile.open(os.path.join(folder, name)) as archive:
                    archive.extractall(place, filter="data")
                places.append(place)
        for place in places:
            for root, _, names in sorted(os.walk(place)):
                if os.path.basename(root) != "broken":
                    yield from (os.path.join(root, name) for name in sorted(names) if name.endswith(".onnx") and not name[:-5].isupper())


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        pairs = []
        for path in models_in(folders, scratch):
            place = scratch
            with open(path, "rb") as file:
                if b"location" in file.read():  # external data stay next to the model, and so must the copy
                    place = os.path.join(scratch, f"folder{len(pairs)}")
                    shutil.copytree(os.path.dirname(path), place)
                    path = os.path.join(place, os.path.basename(path))
            pairs.append((path, os.path.join(place, f"{len(pairs)}.copy")))
        if not pairs:
            print("no models")
            return 77
        listing = os.path.join(scratch, "list")
        with open(listing, "w", encoding="utf-8") as file:
            file.writelines(f"{one}\t{other}\n" for one, other in pairs)
        result = subprocess.run([program, "--list", listing], capture_output=True,
                                text=True, timeout=1200, check=False)
        print(result.stderr, end="")
        refused = [line.split("\t")[1:] for line in result.stdout.splitlines() if line.startswith("failed\t")]
        for path, reason in refused:
            print(f"refused: {os.path.basename(os.path.dirname(path))}: {reason[:200]}")
        counts["refused"] = len(refused)
        refused = {path for path, _ in refused}
        for path, copy in pairs:
            if path in refused:
                continue
            with open(path, "rb") as one, open(copy, "rb") as other:
                before, after = onnx.ModelProto.FromString(one.read()), onnx.ModelProto.FromString(other.read())
            counts["models"] += 1
            if not is_sorted(before.graph, set()):
                counts["sorted when loaded"] += 1
                sort_by_text(before.graph)
                sort_by_text(after.graph)
            found = list(differences(before, after, "model"))
            if found:
                counts["different"] += 1
                print(f"{path}: " + "; ".join(found[:4]))
            os.unlink(copy)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["different"] or result.returncode not in (0, 1) or not counts["models"] else 0


if __name__ == "__main__":
    sys.exit(main())
