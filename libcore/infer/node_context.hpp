// NodeContext: the InferContext of one node of a model.
#pragma once

#include <string>
#include <vector>

#include "libcore/infer/inference.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Reads the state of the inference; keeps declared types where the rule sets nothing, and gives
/// every unknown its cause.
class NodeContext : public InferContext {
 public:
  NodeContext(const Node& node, Inference& inference);

  std::int64_t input_count() const override { return node_.input_count(); }
  std::int64_t output_count() const override { return node_.output_count(); }
  bool has_output(std::int64_t index) const override { return node_.output(index) != nullptr; }
  const ValueType* input_type(std::int64_t index) const override;
  const Tensor* input_value(std::int64_t index) const override;
  std::optional<Dimensions> input_dimensions(std::int64_t index) const override;
  std::optional<KnownElements> input_elements(std::int64_t index) const override;
  void set_output_type(std::int64_t index, ValueType type) override;
  void set_output_dimensions(std::int64_t index, Dimensions values) override;
  void set_output_elements(std::int64_t index, KnownElements elements) override;
  void set_output_value(std::int64_t index, const Tensor& tensor) override;
  void forward_value(std::int64_t input, std::int64_t output) override;
  Dimension unknown_dimension() const override;
  std::vector<InferredValue> infer_body(const Graph& body,
                                        std::vector<InferredValue> inputs) override;

  /// Outputs that the rule did not set keep their declared types.
  void finish();

 private:
  void give_causes(ValueType& type) const;
  Dimension cause_from_inputs() const;

  const Node& node_;
  Inference& inference_;
  std::vector<bool> is_set_;
};

}  // namespace ortool
