# Changes real models in known ways, which `ortool inspect --diff` must report exactly.
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError:
    print("SKIPPED: this Python has no onnx or numpy; tests/peers.sh creates an environment with them")
    sys.exit(77)

_SEED = 20261120


def graphs_of(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def rename_graph(graph, outer):
    """Renames every value and node; `outer` maps the names of the enclosing graphs."""
    names = dict(outer)

    def fresh(name):
        if name and name not in names:
            names[name] = f"renamed_{len(names)}_{len(outer)}"
        return names.get(name, "")

    own = {}
    for value in list(graph.input) + list(graph.output) + list(graph.value_info) + list(graph.initializer):
        own[value.name] = None
    for node in graph.node:
        for name in node.output:
            own[name] = None
    for name in own:
        names.pop(name, None)
    for node in graph.node:
        node.name = f"node_{random.randrange(10**9)}" if random.random() < 0.9 else ""
        for inside in graphs_of(node):
            for name in own:
                fresh(name)
            rename_graph(inside, names)
        node.input[:] = [fresh(name) for name in node.input]
        node.output[:] = [fresh(name) for name in node.output]
    for value in list(graph.input) + list(graph.output) + list(graph.value_info) + list(graph.initializer):
        value.name = fresh(value.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = fresh(sparse.values.name)
    for annotation in graph.quantization_annotation:
        annotation.tensor_name = fresh(annotation.tensor_name)
        for entry in annotation.quant_parameter_tensor_names:
            entry.value = fresh(entry.value)


def reads(node):
    names = set(node.input)
    for graph in graphs_of(node):
        for inside in graph.node:
            names |= reads(inside)
        names |= {value.name for value in graph.output}
    return names


def shuffle_nodes(graph):
    """Shuffles the nodes into another topological order."""
    made = {name: index for index, node in enumerate(graph.node) for name in node.output if name}
    waits = [{made[name] for name in reads(node) if name in made and made[name] != index}
             for index, node in enumerate(graph.node)]
    readers = {}
    for index, producers in enumerate(waits):
        for producer in producers:
            readers.setdefault(producer, []).append(index)
    ready = [index for index, producers in enumerate(waits) if not producers]
    order = []
    while ready:
        index = ready.pop(random.randrange(len(ready)))
        order.append(index)
        for reader in readers.get(index, []):
            waits[reader].discard(index)
            if not waits[reader]:
                ready.append(reader)
    nodes = [graph.node[index] for index in order]
    assert len(nodes) == len(graph.node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)
    initializers = list(graph.initializer)
    random.shuffle(initializers)
    copies = [onnx.TensorProto.FromString(tensor.SerializeToString()) for tensor in initializers]
    del graph.initializer[:]
    graph.initializer.extend(copies)


def rename_and_shuffle(model):
    rename_graph(model.graph, {})
    shuffle_nodes(model.graph)


def change_weight(model):
    """Changes one number of the largest float initializer; returns its name."""
    floats = [tensor for tensor in model.graph.initializer
              if tensor.data_type == onnx.TensorProto.FLOAT and tensor.data_location == 0]
    used = set().union(*(reads(node) for node in model.graph.node))
    floats = [tensor for tensor in floats if tensor.name in used]
    if not floats:
        return None
    tensor = max(floats, key=lambda one: numpy.prod(one.dims))
    values = numpy_helper.to_array(tensor).copy()
    place = random.randrange(values.size)
    values.reshape(-1)[place] += 0.5
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return tensor.name


def change_attribute(model):
    """Changes one integer attribute; returns the index of the node and the attribute's name."""
    for index in random.sample(range(len(model.graph.node)), len(model.graph.node)):
        for attribute in model.graph.node[index].attribute:
            if attribute.type == onnx.AttributeProto.INTS and attribute.ints:
                attribute.ints[0] += 1
                return index, attribute.name
            if attribute.type == onnx.AttributeProto.INT:
                attribute.i += 1
                return index, attribute.name
    return None


def insert_node(model):
    """Inserts a node between two nodes."""
    made = {name for node in model.graph.node for name in node.output if node.op_type != "Constant"}
    places = [(index, slot) for index, node in enumerate(model.graph.node)
              for slot, name in enumerate(node.input) if name in made]
    if not places:
        return False
    index, slot = random.choice(places)
    node = model.graph.node[index]
    new = onnx.helper.make_node("Abs", [node.input[slot]], ["inserted_value"], "inserted")
    node.input[slot] = "inserted_value"
    model.graph.node.insert(index, new)
    return True


class Checker:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.failures = 0

    def diff(self, before, after, *options):
        completed = subprocess.run([self.program, "inspect", before, "--diff", after, "--json", *options],
                                   capture_output=True, text=True, timeout=120, check=False)
        if completed.returncode not in (0, 1):
            raise SystemExit(f"exit {completed.returncode}: {completed.stderr}")
        return json.loads(completed.stdout)["diff"], completed.returncode

    def expect(self, label, found, wanted):
        if found != wanted:
            self.failures += 1
            print(f"{label}: found {found}, expected {wanted}")

    def save(self, model, name):
        path = os.path.join(self.folder, name)
        onnx.save(model, path)
        return path

    def check(self, label, path):
        def fresh():
            return onnx.load(path)

        before = self.save(fresh(), "before.onnx")
        counts = self.counts
        same, code = self.diff(before, before)
        self.expect(f"{label}: itself", (code, counts(same)), (0, {}))

        model = fresh()
        rename_and_shuffle(model)
        renamed = self.save(model, "renamed.onnx")
        found, code = self.diff(before, renamed)
        self.expect(f"{label}: renamed", (code, counts(found)), (0, {}))
        self.expect(f"{label}: renamed nodes", bool(found["nodes"]["renamed"]), True)

        for is_renamed in (False, True):
            suffix = " and renamed" if is_renamed else ""

            def finish(model, is_renamed=is_renamed):
                if is_renamed:
                    rename_and_shuffle(model)
                return self.save(model, "after.onnx")

            model = fresh()
            name = change_weight(model)
            if name is not None:
                found, code = self.diff(before, finish(model))
                self.expect(f"{label}: weight{suffix}", (code, counts(found)), (1, {"weights": 1}))
                weight = (found["weights"]["different"] or [{"before": None, "delta": None}])[0]
                self.expect(f"{label}: weight's name", (weight["before"] or {}).get("name"), name)
                self.expect(f"{label}: numbers", (weight["delta"] or {}).get("changed"), 1)
                found, code = self.diff(before, finish(fresh()), "--no-weights")
                self.expect(f"{label}: no weights{suffix}", (code, counts(found)), (0, {}))

            model = fresh()
            changed = change_attribute(model)
            if changed is not None:
                found, code = self.diff(before, finish(model))
                self.expect(f"{label}: attribute {changed}{suffix}", (code, counts(found)), (1, {"changed": 1}))
                fields = [change["field"] for node in found["nodes"]["changed"] for change in node["changes"]]
                self.expect(f"{label}: field{suffix}", fields, [f"attribute {changed[1]}"])

            model = fresh()
            if not insert_node(model):
                continue
            found, code = self.diff(before, finish(model))
            self.expect(f"{label}: insertion{suffix}", (code, counts(found)), (1, {"added": 1}))
            found, code = self.diff(os.path.join(self.folder, "after.onnx"), before)
            self.expect(f"{label}: removal{suffix}", (code, counts(found)), (1, {"removed": 1}))

    @staticmethod
    def counts(diff):
        counts = {kind: len(diff["nodes"][kind]) for kind in ("added", "removed", "changed")}
        counts["weights"] = len(diff["weights"]["different"])
        for kind in ("inputs", "outputs", "wiring", "opsets", "metadata", "functions"):
            counts[kind] = len(diff[kind])
        return {kind: count for kind, count in counts.items() if count}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("names", nargs="*", help="folders below --models; all without one")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models):
        print(f"SKIPPED: there is no {arguments.models}")
        return 77
    print(f"seed {arguments.seed}")
    random.seed(arguments.seed)
    names = arguments.names or sorted(
        name for name in os.listdir(arguments.models)
        if os.path.isfile(os.path.join(arguments.models, name, "model.onnx")))
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments.program, folder)
        for name in names:
            checker.check(name, os.path.join(arguments.models, name, "model.onnx"))
    print(f"{len(names)} models, {checker.failures} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
