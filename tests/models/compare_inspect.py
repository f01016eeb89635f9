# Compares inspect's report with the contents that PyPI's onnx reads from the same files.
"""Usage: compare_inspect.py PROGRAM FOLDER...   (exit 77: nothing to compare)

For every .onnx file in the folders and in their .tar.xz archives: the document must follow its schema, and counts of
nodes, initializers and values, names, types and shapes of inputs, outputs and initializers, and the operators of the
nodes must match onnx. ORTOOL_INSPECT_SAMPLE=N checks only every N-th model of an archive (1: all).
"""
import collections
import functools
import glob
import json
import multiprocessing
import os
import subprocess
import sys
import tarfile
import tempfile

try:
    import jsonschema
    import onnx
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
         10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
         17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
         23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2"}


def type_text(type_proto):
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type":
        return TYPES.get(type_proto.tensor_type.elem_type, "unknown")
    if kind == "sequence_type":
        return "sequence"
    return {"optional_type": "optional", "map_type": "map", "sparse_tensor_type": "sparse"}.get(kind, "unknown")


def shape_of(type_proto):
    if type_proto.WhichOneof("value") != "tensor_type" or not type_proto.tensor_type.HasField("shape"):
        return None
    return [known(dim) for dim in type_proto.tensor_type.shape.dim]


def known(dim):
    """A number, a symbol, or None: exporters write -1 for unknown dimensions."""
    if not dim.HasField("dim_value"):
        return dim.dim_param or None
    return dim.dim_value if dim.dim_value >= 0 else None


def shapes_agree(found, declared, is_input):
    """Declared numbers must match or be formulas over symbols; inference may fill in unknown ones, except in inputs."""
    if declared is None:
        return True
    if found is None or len(found) != len(declared):
        return False
    for ours, theirs in zip(found, declared):
        if isinstance(theirs, int) and ours != theirs and not isinstance(ours, str):
            return False
        if is_input and ours != theirs:
            return False
    return True


def value_problems(place, found, expected, is_input):
    names = [value["name"] for value in found]
    if names != [value.name for value in expected]:
        return [f"{place}: {names[:5]} instead of {[value.name for value in expected][:5]}"]
    problems = []
    for ours, theirs in zip(found, expected):
        if not theirs.HasField("type"):
            continue
        # Inference may have found types that the file does not declare.
        if type_text(theirs.type) not in ("unknown", ours["dtype"].partition("(")[0].partition(" ")[0]):
            problems.append(f"{place} {ours['name']}: {ours['dtype']} instead of {type_text(theirs.type)}")
        if not shapes_agree(ours["shape"], shape_of(theirs.type), is_input):
            problems.append(f"{place} {ours['name']}: {ours['shape']} instead of {shape_of(theirs.type)}")
    return problems


def graph_problems(place, found, expected, is_main):
    problems = value_problems(f"{place} inputs", found["inputs"], expected.input, is_main)
    problems += value_problems(f"{place} outputs", found["outputs"], expected.output, False)
    sparse = [(tensor.values.name, TYPES[tensor.values.data_type], list(tensor.dims)) for tensor in expected.sparse_initializer]
    dense = [(tensor.name, TYPES[tensor.data_type], list(tensor.dims)) for tensor in expected.initializer]
    ours = sorted((tensor["name"], tensor["dtype"], tensor["shape"]) for tensor in found["initializers"])
    if ours != sorted(dense + sparse):
        problems.append(f"{place}: initializers {ours[:3]} instead of {sorted(dense + sparse)[:3]}")
    names = {tensor[0] for tensor in dense + sparse}
    made = {name for node in expected.node for name in node.output if name}
    given = {value.name for value in expected.input if value.name not in names}
    values = {value["name"] for value in found["values"]}
    if not made | given <= values or len(values) != len(found["values"]):
        problems.append(f"{place}: values {sorted((made | given) ^ values)[:5]} are on one side only")
    return problems + node_problems(place, found["nodes"], expected.node)


def node_problems(place, found, expected):
    canonical = {"ai.onnx": ""}
    theirs = collections.Counter((node.op_type, canonical.get(node.domain, node.domain), tuple(node.input), tuple(node.output))
                                 for node in expected)
    ours = collections.Counter((node["op_type"], node["domain"], tuple(node["inputs"]), tuple(node["outputs"])) for node in found)
    if ours != theirs:
        return [f"{place}: nodes {list((ours - theirs))[:2]} instead of {list((theirs - ours))[:2]}"]
    problems = []
    by_outputs = {tuple(node["outputs"]): node for node in found}
    for node in expected:
        graphs = [attribute.g for attribute in node.attribute if attribute.type == 5]
        graphs += [graph for attribute in node.attribute for graph in attribute.graphs]
        inside = by_outputs[tuple(node.output)]["subgraphs"]
        if len(inside) != len(graphs):
            problems.append(f"{place}: {len(inside)} subgraphs instead of {len(graphs)}")
            continue
        for ours_inside, theirs_inside in zip(inside, graphs):
            problems += graph_problems(f"{place}/{theirs_inside.name}", ours_inside, theirs_inside, False)
    return problems


@functools.lru_cache(maxsize=1)
def validator_of(program):
    schema = json.loads(subprocess.run([program, "schema", "inspect"], capture_output=True, check=True).stdout)
    return jsonschema.Draft202012Validator(schema)


def compare(job):
    program, path = job
    validator = validator_of(program)
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception:  # protobuf's own error types differ between its versions
        return path, "not supported by the onnx package", []
    result = subprocess.run([program, "inspect", path, "--json", "-q", "--max-elements", "4"], capture_output=True, timeout=120,
                            check=False)
    try:
        document = json.loads(result.stdout.decode("utf-8"))
    except ValueError as error:
        return path, "failed", [f"no JSON: {error}"]
    problems = [f"{problem.json_path}: {problem.message[:200]}" for problem in validator.iter_errors(document)][:3]
    if result.returncode != 0:
        return path, "failed", problems + [f"exit code {result.returncode}: {document['errors'][:1]}"]
    if model.ir_version < 4:
        # Such files had to list every initializer among the inputs; inspect does not count them as inputs.
        names = {tensor.name for tensor in model.graph.initializer}
        inputs = [value for value in model.graph.input if value.name not in names]
        del model.graph.input[:]
        model.graph.input.extend(inputs)
    problems += graph_problems("graph", document["graph"], model.graph, True)
    if len(document["functions"]) != len(model.functions):
        problems.append(f"{len(document['functions'])} functions instead of {len(model.functions)}")
    for ours, theirs in zip(document["functions"], model.functions):
        problems += node_problems(f"function {theirs.name}", ours["graph"]["nodes"], theirs.node)
    return path, "failed" if problems else "equal", problems


def unpack(archive, folder, step):
    with tarfile.open(archive) as tar:
        models = [member for member in tar if member.isfile() and member.name.endswith(".onnx")]
        for member in models[::step]:
            member.name = member.name.replace("..", "_")
            tar.extract(member, folder)
    return sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True))


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    step = int(os.environ.get("ORTOOL_INSPECT_SAMPLE", "5"))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for folder in folders:
            if not os.path.isdir(folder):
                print(f"SKIPPED: there is no {folder}")
                continue
            archives = sorted(glob.glob(os.path.join(folder, "*.tar.xz")))
            for archive in archives:
                paths += unpack(archive, os.path.join(scratch, os.path.basename(archive)), step)
            found = sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True))
            paths += found if len(found) < 200 else found[::step]
        with multiprocessing.Pool(2) as pool:
            for path, verdict, problems in pool.imap_unordered(compare, [(program, path) for path in paths], 8):
                counts[verdict] += 1
                for problem in problems[:3]:
                    print(f"{os.path.relpath(path, scratch) if path.startswith(scratch) else path}: {problem[:400]}")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no models")
    if not counts:
        return 77
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
