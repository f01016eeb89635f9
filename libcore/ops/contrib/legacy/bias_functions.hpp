// com.microsoft's sums with a bias and what follows them: BiasAdd, BiasSoftmax, BiasDropout,
// BitmaskDropout and BitmaskBiasDropout.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// x + bias + skip.
struct BiasAdd {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Softmax(data + bias) over all axes from `axis` on.
struct BiasSoftmax {
  static const OpSchema schema;

  std::int64_t axis = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Dropout(data + bias) + residual, and the mask. Inputs: data, bias, residual, ratio and
/// training_mode.
struct BiasDropout {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same with a mask of bits, 32 in a number.
struct BitmaskBiasDropout {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Dropout with a mask of bits. Inputs: data, ratio and training_mode.
struct BitmaskDropout {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
