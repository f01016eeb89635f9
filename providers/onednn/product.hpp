// A matrix product made ready for fixed shapes: the common part of Gemm and MatMul.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/provider/product_epilogue.hpp"
#include "libcore/tensor/shape.hpp"
#include "providers/onednn/kernel_list.hpp"
#include "providers/onednn/product_cut.hpp"

namespace ortool::onednn {

/// What is decided once a node.
struct CompiledProduct {
  ProductFollowers followers;
  Tools tools;
  int most_threads = 1;
  float alpha = 1.0F;
  float beta = 1.0F;
  bool reads_addend = false;      ///< input 2 is added, times beta
  std::vector<float> bias;        ///< a column, from the followers; empty: none
  std::optional<PackedMatrix> b;  ///< nothing: it comes at run time
};

/// What the shapes of a run lead to.
struct ProductWork {
  ProductShape shape;
  std::vector<cpu::GemmOffsets> offsets;  ///< one a product
  Shape result;
  cpu::Addend addend = cpu::Addend::none;  ///< how input 2 is spread over c
};

/// The work that shapes lead to.
using ProductSizer = std::function<ProductWork(const PrepareContext&)>;

/// Followers and what else the node and the tools decide; b is not packed yet.
CompiledProduct compile_product(const NodeView& view, const ProductForm& form, const Tools& tools,
                                const CompileContext& context);

/// A kernel that reads input 1 where b is not packed. `name` must outlive it.
KernelPtr make_product_kernel(std::string_view name, CompiledProduct product, ProductSizer work);

}  // namespace ortool::onednn
