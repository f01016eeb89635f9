"""Compares the names of operators that onnxruntime has with the catalog: each of its CPU provider's kernels must be an operator
there, each other schema an operator, or one that is rejected by name.

usage: compare_runtime_names.py DUMP_CATALOG

Exits with 77 if onnxruntime is missing.
"""
import json
import subprocess
import sys

try:
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime
except ImportError:
    print("skipped: onnxruntime is missing (tests/peers.sh creates the environment)")
    sys.exit(77)


def load(*command):
    rows = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {(row["domain"], row["name"]) for row in rows}


def main():
    known, rejected = load(sys.argv[1], "--names"), load(sys.argv[1], "--rejected")
    kernels = {(kernel.domain, kernel.op_name) for kernel in runtime.get_all_opkernel_def()
               if kernel.provider == "CPUExecutionProvider"}
    schemas = {(schema.domain, schema.name) for schema in runtime.get_all_operator_schema()}
    if not kernels or not schemas:
        print("onnxruntime lists no operators")
        return 1
    missing = sorted(kernels - known), sorted(schemas - known - rejected)
    for names, what in zip(missing, ("has a kernel in onnxruntime's CPU provider, but is not in the catalog",
                                     "has a schema in onnxruntime, but is neither in the catalog nor rejected by name")):
        for domain, name in names:
            print(f"{domain or 'ai.onnx'}.{name} {what}")
    print(f"{len(kernels)} names of kernels, {len(schemas)} of schemas, {sum(map(len, missing))} missing")
    return 1 if any(missing) else 0


if __name__ == "__main__":
    sys.exit(main())
