// Epilogue: matches the nodes that follow a product.
#include "providers/cuda/operators/epilogue.hpp"

namespace ortool::cuda {

const Value* Epilogue::result() const {
  return folded_ == 0 ? node_.output(0) : fused_nodes_[folded_ - 1]->output(0);
}

DeviceTensor Epilogue::other_operand(const Node& next) const {
  if (next.op_type() != "Add" || !next.domain().empty()) return {};
  if (builder_.output_shape(next) != builder_.output_shape(node_)) return {};
  const std::int64_t other = next.input(0) == result() ? 1 : 0;
  return builder_.stored_input(next, other);
}

void Epilogue::match(std::int64_t channels, std::int64_t inner, bool takes_bias) {
  const Shape& shape = builder_.output_shape(node_);
  while (folded_ < fused_nodes_.size() && !has_relu_) {
    const Node& next = *fused_nodes_[folded_];
    if (next.op_type() == "Relu" && next.domain().empty()) {
      has_relu_ = true;
      ++folded_;
      continue;
    }
    const DeviceTensor other = other_operand(next);
    if (!other.is_given() ||
        other.type != builder_.constants().stored_type(builder_.output_type(next))) {
      return;
    }
    std::int64_t behind = 1;
    for (std::int64_t axis = other.shape.rank(); axis-- > 0 && other.shape[axis] == 1;)
      behind *= shape[shape.rank() - other.shape.rank() + axis];
    const bool is_vector = other.count() == channels && channels > 1 && behind == inner;
    if (is_vector && takes_bias && !bias_.is_given()) {
      bias_ = other;
    } else if (other.shape == shape && !addend_.is_given()) {
      addend_ = builder_.in_layout(other, is_channels_last_);
    } else {
      return;
    }
    ++folded_;
  }
}

DeviceTensor Epilogue::make_output() const {
  return builder_.make_output(*result()->producer(), result()->producer_index(), is_channels_last_);
}

}  // namespace ortool::cuda
