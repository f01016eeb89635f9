# Generates docs/reference/operators.md from the catalog and the list of kernels, or checks that it is current.
"""usage: operator_page.py DUMP_CATALOG PROGRAM PAGE [--write]"""
import json
import subprocess
import sys

_INTRODUCTION = """# Operators of other domains

Besides ONNX's own operators of opsets 1 to 28 and ai.onnx.ml ([conformance](conformance.md)), ortool computes the
operators below. Most are decomposed into ONNX's operators when a session is created, so that fusion, int8 and all
kernels apply ([decision 0069](../contributing/decisions/0069-operators-of-other-domains.md)); the others have kernels.
Those that ortool does not compute are [rejected by name](#rejected-by-name), with what to do (`ortool inspect --check`).
`ortool optimize --target onnx` writes a file without most of them.

This page is generated:

```sh
python3 tests/ops/operator_page.py build/release/bin/dump_catalog build/release/bin/ortool docs/reference/operators.md --write
```
"""

_DOMAINS = {
    "com.microsoft": "ONNX Runtime",
    "com.microsoft.nchwc": "ONNX Runtime, files saved at level all for its CPU provider",
    "com.ms.internal.nhwc": "ONNX Runtime, files saved for providers with channels last",
    "ai.onnx.contrib": "onnxruntime-extensions",
    "com.microsoft.extensions": "onnxruntime-extensions, images, and tokenizers that are also in `ai.onnx.contrib`",
    "TRT": "TensorRT's plugins; also in `trt.plugins` and without a domain",
    "mmdeploy": "MMDeploy",
    "mmcv": "MMCV",
}


def names(operators):
    return ", ".join(sorted(operators)) if operators else "none"


_REJECTED = """## Rejected by name

| operator | why | what to do |
|---|---|---|"""


def page(catalog, kernels, rejected):
    own_kernels = {(row["domain"], row["op_type"]) for row in kernels if row["provider"] != "cuda"}
    lines = [_INTRODUCTION]
    for domain, whose in _DOMAINS.items():
        operators = {row["name"] for row in catalog if row["domain"] == domain}
        computed = {name for name in operators if (domain, name) in own_kernels}
        lines += [f"## {domain}", "", f"{whose}; {len(operators)} in all.", ""]
        lines += ["| computed by | operators |", "|---|---|"]
        lines += [f"| kernels | {names(computed)} |", f"| decomposition, or as control flow | {names(operators - computed)} |", ""]
    lines.append(_REJECTED)
    known = {(row["domain"], row["name"]) for row in catalog}
    lines += [f"| {row['domain'] or 'ai.onnx'}.{row['name']} | {row['reason']} | {row['advice']} |" for row in rejected
              if (row["domain"], row["name"]) not in known]
    return "\n".join(lines).rstrip() + "\n"


def load(*command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    dump_catalog, program, path = sys.argv[1:4]
    wanted = page(load(dump_catalog), load(program, "providers", "--kernels", "--json")["kernels"], load(dump_catalog, "--rejected"))
    if sys.argv[4:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    with open(path, encoding="utf-8") as file:
        is_current = file.read() == wanted
    print(f"{path} is {'current' if is_current else 'not up to date with the catalog: use --write'}")
    return 0 if is_current else 1


if __name__ == "__main__":
    sys.exit(main())
