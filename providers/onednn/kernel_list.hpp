// The onednn provider's kernels as data.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/onednn/primitive_cache.hpp"

namespace ortool::onednn {

/// What every kernel of a provider shares.
struct Tools {
  std::shared_ptr<PrimitiveCache> cache;
  cpu::Isa isa = cpu::Isa::baseline;  ///< of what is left to do around oneDNN
  std::int64_t block = 8;             ///< channels side by side that oneDNN likes here
  Layout blocked = Layout::blocked8;  ///< the same
};

/// One operator.
struct KernelRow {
  std::string_view name;  ///< "onednn_conv"
  std::string_view op_type;
  /// Why it does not take the node; empty: it does.
  std::string (*refuses)(const NodeView& view, const Tools& tools);
  KernelPtr (*compile)(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
  /// Whether the kernel also computes `next`, the only reader of the group's only used output.
  /// Null: it never does.
  bool (*absorbs)(const NodeView& group, const Node& next) = nullptr;
  /// The ways in which it computes a group, the plain one first. Null: that one alone.
  std::vector<LayoutChoice> (*layouts)(const NodeView& group, const Tools& tools) = nullptr;
};

/// One row an operator, all for float32 and ai.onnx.
std::span<const KernelRow> kernel_list();

// Of one file each.
std::string refuses_conv(const NodeView& view, const Tools& tools);
bool conv_absorbs(const NodeView& group, const Node& next);
std::vector<LayoutChoice> conv_layouts(const NodeView& group, const Tools& tools);
KernelPtr compile_conv(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
std::string refuses_gemm(const NodeView& view, const Tools& tools);
bool gemm_absorbs(const NodeView& group, const Node& next);
KernelPtr compile_gemm(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
std::string refuses_matmul(const NodeView& view, const Tools& tools);
bool matmul_absorbs(const NodeView& group, const Node& next);
KernelPtr compile_matmul(const NodeView& view, const KernelRow& row, const Tools& tools,
                         const CompileContext& context);
std::string refuses_pool(const NodeView& view, const Tools& tools);
std::vector<LayoutChoice> pool_layouts(const NodeView& group, const Tools& tools);
KernelPtr compile_pool(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);

}  // namespace ortool::onednn
