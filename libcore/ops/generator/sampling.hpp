// Bernoulli and Multinomial: draws whose chances the input gives.
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html, …__Multinomial.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// 1 with the chance that the input's element is, else 0.
struct Bernoulli {
  static const OpSchema schema;

  std::optional<float> seed;        ///< nothing: another one each time
  std::optional<DataType> element;  ///< nothing: the input's

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// From each row of a matrix, the logarithms of chances not scaled yet, `sample_size` columns.
struct Multinomial {
  static const OpSchema schema;

  std::optional<float> seed;
  DataType element = DataType::int32;
  std::int64_t sample_size = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
