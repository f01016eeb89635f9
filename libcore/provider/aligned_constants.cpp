// Aligned constants: swaps aligned copies in and out.
#include "libcore/provider/aligned_constants.hpp"

namespace ortool {

AlignedConstants::AlignedConstants(const std::vector<Value*>& inputs) {
  for (Value* input : inputs) {
    if (input == nullptr || !input->is_constant() || input->constant().is_aligned()) continue;
    originals_.emplace_back(input, input->constant());
    input->graph().set_constant(*input, input->constant().aligned());
  }
}

void AlignedConstants::restore(Value& value) const {
  for (const auto& [input, original] : originals_) {
    if (input == &value) value.graph().set_constant(value, original);
  }
}

const Tensor& AlignedConstants::original(const Value& value) const {
  for (const auto& [input, original] : originals_) {
    if (input == &value) return original;
  }
  return value.constant();
}

void AlignedConstants::restore_all() const {
  for (const auto& [input, original] : originals_) input->graph().set_constant(*input, original);
}

}  // namespace ortool
