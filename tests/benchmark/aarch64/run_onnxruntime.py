"""Runs a model in onnxruntime on one thread: run_onnxruntime.py MODEL INPUTS.npz RUNS. Started in an emulator."""
import sys

import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
inputs = dict(numpy.load(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    session.run(None, inputs)
