"""Compares every version of every operator in the catalog with the schemas in PyPI's onnx.

usage: compare_catalog.py DUMP_CATALOG

Exits with 77 if the onnx package is missing.
"""

import json
import struct
import subprocess
import sys

try:
    import onnx
    from onnx import defs
except ImportError:
    print("skipped: the onnx package is missing (tests/peers.sh creates the environment)")
    sys.exit(77)

# Operators that only sessions create, and those that other tools define.
OTHER_DOMAINS = ("ortool", "com.microsoft", "com.microsoft.extensions", "ai.onnx.contrib", "TRT", "trt.plugins",
                 "mmcv", "mmdeploy", "com.microsoft.nchwc", "com.ms.internal.nhwc")
# TensorRT's operators, which exporters also write into ONNX's domain, and copies that onnxruntime inserts there.
FOREIGN = {"BatchedNMSDynamic_TRT", "BatchedNMS_TRT", "EfficientNMS_ONNX_TRT", "EfficientNMS_TRT", "MemcpyFromHost", "MemcpyToHost"}
DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")

# Operators that ONNX has removed, which old files may still contain.
REMOVED = {
    ("", name)
    for name in (
        "ATen",
        "Affine",
        "ConstantFill",
        "Crop",
        "DynamicSlice",
        "GRUUnit",
        "GivenTensorFill",
        "ImageScaler",
        "ParametricSoftplus",
        "Scale",
        "ScaledTanh",
    )
}
REMOVED |= {("", name) for name in FOREIGN}
# The same for single versions.
REMOVED_VERSIONS = {("", "ThresholdedRelu", 1)}

COUNTS = {"Single": "single", "Optional": "optional", "Variadic": "variadic"}


def default_of(attribute):
    value = attribute.default_value
    if not value.name:
        return None
    value = onnx.helper.get_attribute_value(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list) and value and isinstance(value[0], bytes):
        return [each.decode() for each in value]
    return value


def describe_formal(formal):
    count = COUNTS[formal.option.name]
    row = {"name": formal.name, "type": formal.type_str, "count": count}
    if count == "variadic":
        row["least"] = formal.min_arity
        row["is_homogeneous"] = formal.is_homogeneous
    return row


def describe(schema):
    attributes = {}
    for name, attribute in schema.attributes.items():
        kind = attribute.type.name
        attributes[name] = {
            "kind": kind.lower(),
            "is_required": attribute.required,
            "default": default_of(attribute),
        }
    return {
        "is_deprecated": schema.deprecated,
        "inputs": [describe_formal(formal) for formal in schema.inputs],
        "outputs": [describe_formal(formal) for formal in schema.outputs],
        "attributes": attributes,
        "types": {c.type_param_str: sorted(c.allowed_type_strs) for c in schema.type_constraints},
    }


def equal(found, expected):
    """Whether two descriptions agree; floats are compared as float32, as ONNX stores them."""
    if isinstance(expected, float):
        return isinstance(found, (int, float)) and float32(found) == float32(expected)
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(equal(a, b) for a, b in zip(found, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(equal(found[key], expected[key]) for key in expected)
        )
    return found == expected and isinstance(found, bool) == isinstance(expected, bool)


def float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def differences(found, expected):
    for part in ("is_deprecated", "inputs", "outputs"):
        if not equal(found[part], expected[part]):
            yield f"{part}: {found[part]} (expected {expected[part]})"
    for part in ("attributes", "types"):
        for name in sorted(found[part].keys() | expected[part].keys()):
            mine, theirs = found[part].get(name), expected[part].get(name)
            if part == "types" and mine and theirs:
                excess = sorted(set(mine) - set(theirs))
                missing = sorted(set(theirs) - set(mine))
                if excess or missing:
                    yield f"types {name}: too many {excess}, missing {missing}"
            elif mine is None or theirs is None or not equal(mine, theirs):
                yield f"{part} {name}: {mine} (expected {theirs})"


def main():
    dumped = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout)
    ours = {}
    for row in dumped:
        if row["domain"] in OTHER_DOMAINS or row["name"] in FOREIGN:
            continue
        row["types"] = {name: sorted(types) for name, types in row["types"].items()}
        ours[row.pop("domain"), row.pop("name"), row.pop("since")] = row
    theirs = {
        (schema.domain, schema.name, schema.since_version): describe(schema)
        for schema in defs.get_all_schemas_with_history()
        if schema.domain in DOMAINS
    }

    problems = 0

    def report(text):
        nonlocal problems
        problems += 1
        print(text)

    our_names = {key[:2] for key in ours}
    their_names = {key[:2] for key in theirs}
    for domain, name in sorted(their_names - our_names):
        report(f"{domain}.{name}: is not in the catalog")
    for key in sorted(theirs.keys() | ours.keys()):
        if key[:2] not in our_names or key[:2] in REMOVED or key in REMOVED_VERSIONS:
            continue
        if key not in ours:
            report(f"{key[0]}.{key[1]} {key[2]}: the version is missing")
        elif key not in theirs:
            report(f"{key[0]}.{key[1]} {key[2]}: ONNX has no such version")
        else:
            for difference in differences(ours[key], theirs[key]):
                report(f"{key[0]}.{key[1]} {key[2]}: {difference}")

    print(
        f"{len(our_names & their_names)} of {len(their_names)} operators,"
        f" {len(ours.keys() & theirs.keys())} of {len(theirs)} versions compared with onnx"
        f" {onnx.__version__}, {problems} differences"
    )
    return 1 if problems else 0


sys.exit(main())
