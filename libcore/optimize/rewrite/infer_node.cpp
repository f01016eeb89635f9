// Single-node shape inference in a graph that already has types.
#include "libcore/optimize/rewrite/infer_node.hpp"

#include <utility>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Longer constants are not shapes.
constexpr std::int64_t max_inferred_elements = 64;

class SingleContext : public InferContext {
 public:
  explicit SingleContext(const Node& node) : node_(node) {}

  std::int64_t input_count() const override { return node_.input_count(); }
  std::int64_t output_count() const override { return node_.output_count(); }
  bool has_output(std::int64_t index) const override { return node_.output(index) != nullptr; }

  const ValueType* input_type(std::int64_t index) const override {
    const Value* input = node_.input(index);
    return input != nullptr ? &input->type() : nullptr;
  }
  const Tensor* input_value(std::int64_t index) const override {
    const Value* input = node_.input(index);
    return input != nullptr && input->is_constant() ? &input->constant() : nullptr;
  }
  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    const Tensor* tensor = input_value(index);
    if (tensor == nullptr || tensor->shape().rank() > 1 ||
        tensor->element_count() > max_inferred_elements ||
        (tensor->type() != DataType::int64 && tensor->type() != DataType::int32))
      return std::nullopt;
    Dimensions result;
    for (std::int64_t i = 0; i < tensor->element_count(); ++i)
      result.emplace_back(element_as_int64(*tensor, i));
    return result;
  }
  void set_output_type(std::int64_t index, ValueType type) override {
    Value* output = node_.output(index);
    if (output != nullptr) output->set_type(std::move(type));
  }
  void set_output_dimensions(std::int64_t, Dimensions) override {}

 private:
  const Node& node_;
};

}  // namespace

void infer_node(Node& node) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  ORTOOL_CHECK(entry != nullptr);
  const OpVersion* version = version_of(*entry, node);
  ORTOOL_CHECK(version != nullptr);
  SingleContext context(node);
  entry->infer(node, *version, context);
}

}  // namespace ortool
