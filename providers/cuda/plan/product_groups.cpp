// Product groups: by the value that is multiplied, and the shape of the weights.
#include "providers/cuda/plan/product_groups.hpp"

#include "providers/cuda/plan/constant_pool.hpp"

namespace ortool::cuda {
namespace {

bool fit_together(const GroupedProduct& a, const GroupedProduct& b) {
  return a.product->input(0) == b.product->input(0) && a.weights.shape() == b.weights.shape() &&
         a.weights.type() == b.weights.type() && (a.sum == nullptr) == (b.sum == nullptr);
}

}  // namespace

void ProductGroups::make(const std::vector<GroupedProduct>& products, ConstantPool& constants) {
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (group_of_.contains(products[i].product)) continue;
    ProductGroup group;
    std::vector<const Value*> matrices;
    std::vector<Tensor> weights;
    std::vector<Tensor> biases;
    for (std::size_t k = i; k < products.size(); ++k) {
      const GroupedProduct& member = products[k];
      if (group_of_.contains(member.product) || !fit_together(products[i], member)) continue;
      group.products.push_back(member.product);
      group.results.push_back(member.result());
      matrices.push_back(member.product->input(1));
      weights.push_back(member.weights);
      if (member.sum == nullptr) continue;
      group.biases.push_back(member.bias_value());
      biases.push_back(member.bias);
    }
    if (group.products.size() == 1) continue;
    constants.add_stack(matrices, weights);
    if (!biases.empty()) constants.add_stack(group.biases, biases);
    for (const Node* product : group.products) group_of_[product] = groups_.size();
    groups_.push_back(std::move(group));
  }
}

const ProductGroup* ProductGroups::find(const Node& product) const {
  const auto found = group_of_.find(&product);
  return found == group_of_.end() ? nullptr : &groups_[found->second];
}

}  // namespace ortool::cuda
