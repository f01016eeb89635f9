// com.microsoft.Rfft and Irfft, one-sided Fourier transforms of the last axes, and ComplexMul and
// ComplexMulConj, products of complex numbers in pairs.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Real numbers to their spectrum: the last axis of `signal_axes` keeps n / 2 + 1 bins, and an axis
/// for real and imaginary parts follows.
struct Rfft {
  static const OpSchema schema;

  std::int64_t signal_axes = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The inverse, for an even number of samples.
struct Irfft : Rfft {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

/// a * b, with broadcasting; the last axis holds real and imaginary parts.
struct ComplexMul {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// a * conjugate of b.
struct ComplexMulConj : ComplexMul {
  static const OpSchema schema;
};

}  // namespace ortool
