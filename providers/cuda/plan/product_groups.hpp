// Product groups: products of one value with constant matrices of one shape, which are one call.
#pragma once

#include <unordered_map>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cuda {

/// A MatMul with constant weights, and the Add of a constant row behind it, or null.
struct GroupedProduct {
  const Node* product = nullptr;
  const Node* sum = nullptr;
  Tensor weights;
  Tensor bias;  ///< with `sum`

  const Value* bias_value() const {
    return sum->input(sum->input(0) == product->output(0) ? 1 : 0);
  }
  const Value* result() const { return (sum == nullptr ? product : sum)->output(0); }
};

/// Products in their order; each has an Add, or none has.
struct ProductGroup {
  std::vector<const Node*> products;
  std::vector<const Value*> results;
  std::vector<const Value*> biases;  ///< empty without
};

class ConstantPool;

class ProductGroups {
 public:
  /// Groups `products`, and puts the constants of each group behind each other.
  void make(const std::vector<GroupedProduct>& products, ConstantPool& constants);
  /// The group of a product; null: it is alone.
  const ProductGroup* find(const Node& product) const;

 private:
  std::vector<ProductGroup> groups_;
  std::unordered_map<const Node*, std::size_t> group_of_;
};

}  // namespace ortool::cuda
