// ChannelsLastContext: lets a shape rule for NCHW infer a node with NHWC images.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Shows the rule some inputs with the last axis, the channels, as axis 1, and moves the channels
/// of output 0 back to the end.
class ChannelsLastContext : public InferContext {
 public:
  ChannelsLastContext(InferContext& inner, std::initializer_list<std::int64_t> images)
      : inner_(inner) {
    for (const std::int64_t each : images) {
      const ValueType* type = inner.input_type(each);
      if (type == nullptr) continue;
      ValueType moved = *type;
      if (moved.shape && moved.shape->size() > 2) {
        Dimensions& shape = *moved.shape;
        std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
      }
      images_.emplace_back(each, std::move(moved));
    }
  }

  std::int64_t input_count() const override { return inner_.input_count(); }
  std::int64_t output_count() const override { return inner_.output_count(); }
  const ValueType* input_type(std::int64_t index) const override {
    for (const auto& [image, type] : images_) {
      if (image == index) return &type;
    }
    return inner_.input_type(index);
  }
  const Tensor* input_value(std::int64_t index) const override { return inner_.input_value(index); }
  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    return inner_.input_dimensions(index);
  }
  bool has_output(std::int64_t index) const override { return inner_.has_output(index); }
  void set_output_type(std::int64_t index, ValueType type) override {
    if (index == 0 && type.shape && type.shape->size() > 2)
      std::rotate(type.shape->begin() + 1, type.shape->begin() + 2, type.shape->end());
    inner_.set_output_type(index, std::move(type));
  }
  void set_output_dimensions(std::int64_t index, Dimensions values) override {
    inner_.set_output_dimensions(index, std::move(values));
  }
  std::optional<KnownElements> input_elements(std::int64_t index) const override {
    return inner_.input_elements(index);
  }
  Dimension unknown_dimension() const override { return inner_.unknown_dimension(); }

 private:
  InferContext& inner_;
  std::vector<std::pair<std::int64_t, ValueType>> images_;
};

}  // namespace ortool
