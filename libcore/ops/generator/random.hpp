// RandomNormal, RandomUniform and their …Like variants: tensors of random numbers.
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html, …__RandomUniform.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// A normal distribution with this mean and standard deviation.
struct NormalDistribution {
  float mean = 0.0F;
  float scale = 1.0F;

  void read(AttributeReader& attributes);
};

/// A uniform distribution between `low` and `high`.
struct UniformDistribution {
  float low = 0.0F;
  float high = 1.0F;

  void read(AttributeReader& attributes);
};

/// A tensor whose shape and type are given by attributes.
template <typename Distribution>
struct RandomTensor {
  Distribution distribution;
  std::optional<float> seed;  ///< absent: a new seed for each run
  DataType element = DataType::float32;
  Shape shape;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// A tensor of the input's shape, and of its type unless an attribute gives another one.
template <typename Distribution>
struct RandomLikeInput {
  Distribution distribution;
  std::optional<float> seed;
  std::optional<DataType> element;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct RandomNormal : RandomTensor<NormalDistribution> {
  static const OpSchema schema;
};
struct RandomNormalLike : RandomLikeInput<NormalDistribution> {
  static const OpSchema schema;
};
struct RandomUniform : RandomTensor<UniformDistribution> {
  static const OpSchema schema;
};
struct RandomUniformLike : RandomLikeInput<UniformDistribution> {
  static const OpSchema schema;
};

}  // namespace ortool
