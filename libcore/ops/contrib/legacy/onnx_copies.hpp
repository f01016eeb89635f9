// com.microsoft's copies of ONNX operators, older than those or without some of their attributes:
// Pad, Trilu, Unique, GatherND, Range, GridSample, ExpandDims, TorchEmbedding, SampleOp; and
// MemcpyFromHost and MemcpyToHost.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/generator/range.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/conv/grid_sample.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/tensor/indexing/gather_nd.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/trilu.hpp"

namespace ortool {

/// Pads may also be a matrix of one row; the value, a vector of one element.
struct ContribPad : Pad {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
};

struct ContribTrilu : Trilu {
  static const OpSchema schema;
};

/// The distinct elements of a vector in order of first occurrence, the position among them of each
/// element, and their counts.
struct ContribUnique {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Indices may be int32 as well; no batch dimensions.
struct ContribGatherND : GatherND {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// The step may be omitted and is then 1.
struct ContribRange : Range {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};

/// On images, with the modes' names of opset 16.
struct ContribGridSample : GridSample {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
};

/// Unsqueeze with a single axis, a scalar.
struct ExpandDims {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Rows of a matrix by index; the other inputs matter in training alone.
struct TorchEmbedding {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Identity, an example of ONNX Runtime's.
struct SampleOp : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// Copies from a device's memory and to it, of ONNX's domain, in files that ONNX Runtime saved for
/// a device: the identity here.
struct MemcpyFromHost : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};
struct MemcpyToHost : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

}  // namespace ortool
