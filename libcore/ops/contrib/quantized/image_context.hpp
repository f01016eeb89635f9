// InferContext of an image and its weights, whose channels may be the last axis, so that a shape
// rule for NCHW serves operators with other operands and layouts.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Input 0 in NCHW, and of the others only the one that holds weights.
class ImageContext : public InferContext {
 public:
  ImageContext(const InferContext& given, bool channels_last, std::int64_t weights = -1);

  std::int64_t input_count() const override { return given_.input_count(); }
  std::int64_t output_count() const override { return given_.output_count(); }
  const ValueType* input_type(std::int64_t index) const override {
    if (index == 0) return image_ ? &*image_ : nullptr;
    return index == weights_ ? given_.input_type(index) : nullptr;
  }
  const Tensor* input_value(std::int64_t index) const override {
    return index == weights_ ? given_.input_value(index) : nullptr;
  }
  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    return index == weights_ ? given_.input_dimensions(index) : std::nullopt;
  }
  bool has_output(std::int64_t index) const override { return given_.has_output(index); }
  void set_output_type(std::int64_t, ValueType) override {}
  void set_output_dimensions(std::int64_t, Dimensions) override {}

 private:
  const InferContext& given_;
  std::int64_t weights_;
  std::optional<ValueType> image_;
};

}  // namespace ortool
