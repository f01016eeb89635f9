// Prepared matrix product for fixed shapes: the common part of Gemm and MatMul.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/provider/product_epilogue.hpp"
#include "libcore/tensor/shape.hpp"
#include "providers/onednn/kernel_list.hpp"
#include "providers/onednn/product_partition.hpp"

namespace ortool::onednn {

/// Decided at compile time, once per node.
struct CompiledProduct {
  ProductEpilogue epilogue;
  Tools tools;
  int max_threads = 1;
  float alpha = 1.0F;
  float beta = 1.0F;
  bool reads_addend = false;      ///< input 2 is added, multiplied by beta
  std::vector<float> bias;        ///< one per column, from fused nodes; empty: none
  std::optional<PackedMatrix> b;  ///< empty: it comes at run time
};

/// The products that follow from the shapes of a run.
struct ProductWork {
  ProductShape shape;
  std::vector<cpu::GemmOffsets> offsets;  ///< one per product
  Shape result;
  cpu::Addend addend = cpu::Addend::none;  ///< how input 2 is broadcast to c
};

/// Computes the products from the shapes.
using ProductSizer = std::function<ProductWork(const PrepareContext&)>;

/// Sets the epilogue and everything else that node and tools determine; b is not packed yet.
CompiledProduct compile_product(const NodeView& view, const Tools& tools,
                                const CompileContext& context);

/// A kernel that reads input 1 if b is not packed. `name` must outlive it.
KernelPtr make_product_kernel(std::string_view name, CompiledProduct product, ProductSizer work);

}  // namespace ortool::onednn
