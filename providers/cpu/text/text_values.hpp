// Results of text kernels: string tensors that the memory limit counts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"
#include "providers/cpu/support/value_memory.hpp"

namespace ortool::cpu {

/// Texts that grow one by one, with the memory limit checked as they do.
class TextList {
 public:
  explicit TextList(const DynamicContext& context) : context_(context) {}

  void add(std::string text) {
    uncounted_ += static_cast<std::int64_t>(text.size() + sizeof(std::string));
    if (uncounted_ >= step) {
      total_ += std::exchange(uncounted_, 0);
      check_room(context_, total_, "texts");
    }
    texts_.push_back(std::move(text));
  }
  std::int64_t size() const { return static_cast<std::int64_t>(texts_.size()); }
  std::vector<std::string>& texts() { return texts_; }
  /// The texts as a tensor of that shape, counted; the list is empty then.
  Tensor take(Shape shape) {
    return Tensor::of_strings(std::move(shape), std::exchange(texts_, {}), context_.cap());
  }
  Tensor take_row() { return take(Shape{size()}); }

 private:
  static constexpr std::int64_t step = std::int64_t{1} << 16;

  const DynamicContext& context_;
  std::vector<std::string> texts_;
  std::int64_t uncounted_ = 0;
  std::int64_t total_ = 0;
};

/// A tensor with these integers, counted.
inline Tensor integer_tensor(const DynamicContext& context, Shape shape,
                             const std::vector<std::int64_t>& values) {
  Tensor out = context.make(DataType::int64, std::move(shape));
  std::copy(values.begin(), values.end(), out.mutable_data<std::int64_t>().data());
  return out;
}

/// The text of an input of one element; throws ErrorCode::invalid for other numbers of elements.
inline const std::string& single_text(const DynamicContext& context, std::size_t input,
                                      const char* name) {
  const std::span<const std::string> texts = context.input(input).strings();
  if (texts.size() == 1) return texts.front();
  throw Error(ErrorCode::invalid,
              std::string("'") + name + "' has the shape " +
                  context.input(input).shape().to_string() + " (expected one text)");
}

}  // namespace ortool::cpu
