// Bernoulli and Multinomial: random samples with probabilities given by the input.
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html, …__Multinomial.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// 1 with the probability given by the input's element, otherwise 0.
struct Bernoulli {
  static const OpSchema schema;

  std::optional<float> seed;        ///< absent: a new seed for each run
  std::optional<DataType> element;  ///< absent: the input's type

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Draws `sample_size` class indices for each row of a matrix of unnormalized log-probabilities.
struct Multinomial {
  static const OpSchema schema;

  std::optional<float> seed;
  DataType element = DataType::int32;
  std::int64_t sample_size = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
