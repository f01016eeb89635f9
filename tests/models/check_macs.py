# Compares the MACs counted by inspect with the published figures of well-known networks.
"""Usage: check_macs.py PROGRAM PEERS_PYTHON MAKE_MODELS   (exit 77: nothing to compare)

Makes ResNet-50, MobileNetV2 and BERT-base with their static QDQ forms by MAKE_MODELS, quantizes the convolutional ones
with onnxruntime's quantizer into QDQ pairs and quantized operators, and reads the MACs from `ortool inspect --json`.
Each must be within 2 % of the figure in the papers.
"""
import json
import os
import subprocess
import sys
import tempfile

EXPECTED = {"resnet50": 4.09e9, "mobilenetv2": 0.30e9, "bert_base": 11.2e9}
ALLOWED = 0.02

QUANTIZE = """
import sys
import numpy
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static


class Random(CalibrationDataReader):
    def __init__(self, model):
        self.samples = iter([{}])
        graph = onnx.load(model, load_external_data=False).graph
        weights = {tensor.name for tensor in graph.initializer}
        sample = {}
        for value in graph.input:
            if value.name not in weights:
                shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
                sample[value.name] = numpy.random.default_rng(7).random(shape, numpy.float32)
        self.samples = iter([sample])

    def get_next(self):
        return next(self.samples, None)


source, target, form = sys.argv[1:]
quantize_static(source, target, Random(source), quant_format=getattr(QuantFormat, form), per_channel=True,
                activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                # The rest of this form are operators that ONNX does not define.
                op_types_to_quantize=["Conv"] if form == "QOperator" else None)
"""


def count(program, path):
    result = subprocess.run([program, "inspect", path, "--json", "--no-weights", "-q"], capture_output=True, check=False)
    if result.returncode != 0:
        print(result.stderr.decode("utf-8", "replace")[:400])
        return None
    return json.loads(result.stdout)["summary"]["macs"]


def main():
    program, python, builder = sys.argv[1:]
    if not os.path.exists(builder):
        print(f"SKIPPED: there is no {builder}")
        return 77
    if not os.path.exists(python):
        print(f"SKIPPED: there is no {python}")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        names = [name + form for name in EXPECTED for form in ("", "_qdq")]
        subprocess.run([python, builder, folder, *names], check=True, capture_output=True)
        for name in ("resnet50", "mobilenetv2"):
            for form in ("QDQ", "QOperator"):
                target = os.path.join(folder, f"{name}_onnxruntime_{form.lower()}.onnx")
                subprocess.run([python, "-W", "ignore", "-c", QUANTIZE, os.path.join(folder, name + ".onnx"), target, form],
                               check=True, capture_output=True)
        for file in sorted(os.listdir(folder)):
            if not file.endswith(".onnx"):
                continue
            expected = next(figure for name, figure in EXPECTED.items() if file.startswith(name))
            found = count(program, os.path.join(folder, file))
            is_right = found is not None and abs(found - expected) <= ALLOWED * expected
            failures += not is_right
            print(f"{'ok' if is_right else 'WRONG'}: {file}: {found} (expected {expected:.3g})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
