// Node view: accesses the operands of a node or a group of nodes.
#include "libcore/provider/node_view.hpp"

#include <algorithm>
#include <unordered_set>

namespace ortool {

std::vector<Value*> NodeView::inputs() const {
  const std::unordered_set<const Node*> inside(members_.begin(), members_.end());
  std::vector<Value*> result;
  for (const Node* member : members_) {
    for (std::int64_t i = 0; i < member->input_count(); ++i) {
      Value* input = member->input(i);
      if (input == nullptr || !inside.contains(input->producer())) result.push_back(input);
    }
  }
  return result;
}

std::vector<Value*> NodeView::outputs() const {
  std::vector<Value*> result;
  const Node& last = *members_.back();
  if (members_.size() > 1) {
    const std::unordered_set<const Node*> inside(members_.begin(), members_.end());
    const auto is_outside = [&](const Use& use) {
      return use.kind != Use::Kind::input || !inside.contains(use.node);
    };
    for (const Node* member : members()) {
      for (std::int64_t i = 0; i < member->output_count() && member != &last; ++i) {
        Value* output = member->output(i);
        if (output != nullptr &&
            std::any_of(output->uses().begin(), output->uses().end(), is_outside))
          result.push_back(output);
      }
    }
  }
  for (std::int64_t i = 0; i < last.output_count(); ++i) result.push_back(last.output(i));
  return result;
}

DataType NodeView::input_type(std::int64_t index) const {
  const Value* value = node().input(index);
  return value != nullptr && value->type().is_tensor() ? value->type().element
                                                       : DataType::undefined;
}

DataType NodeView::output_type(std::int64_t index) const {
  const Value* value = node().output(index);
  return value != nullptr && value->type().is_tensor() ? value->type().element
                                                       : DataType::undefined;
}

std::optional<Shape> NodeView::input_shape(std::int64_t index) const {
  const Value* value = node().input(index);
  return value != nullptr && value->type().is_tensor() ? to_known(value->type().shape)
                                                       : std::nullopt;
}

std::int64_t NodeView::input_rank(std::int64_t index) const {
  const Value* value = node().input(index);
  if (value == nullptr || !value->type().is_tensor() || !value->type().shape) return -1;
  return static_cast<std::int64_t>(value->type().shape->size());
}

const Tensor* NodeView::constant(const Value* value) const {
  if (value == nullptr || !value->is_constant()) return nullptr;
  return constants_ != nullptr ? constants_->find(*value) : &value->constant();
}

const Tensor& NodeView::original(const Value& value) const {
  return constants_ != nullptr ? constants_->original(value) : value.constant();
}

}  // namespace ortool
