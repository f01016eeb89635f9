// Subgraph kernel: a group of nodes, compiled for the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/provider/provider.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

class SubgraphKernel : public Kernel {
 public:
  SubgraphKernel(std::shared_ptr<Device> device, const PlanSettings& settings,
                 const NodeView& view);

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override;
  bool needs_input(std::size_t index) const override { return needs_[index]; }

 private:
  /// A node, and the elementwise nodes that are computed with it.
  struct Unit {
    const Node* head = nullptr;
    std::vector<const Node*> fused_nodes;
  };

  void make_units();
  void group_products(const NodeView& view);
  /// Whether a constant is only the weights of convolutions with channels last.
  bool is_weights(const Value& value, const Tensor& content) const;
  void upload_constants(const NodeView& view);
  void emit(DevicePlanBuilder& builder, const Unit& unit) const;

  std::shared_ptr<Device> device_;
  ConstantPool constants_;
  ProductGroups product_groups_;
  std::vector<const Node*> members_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::vector<Unit> units_;
  std::vector<bool> needs_;
  std::string name_;
};

}  // namespace ortool::cuda
