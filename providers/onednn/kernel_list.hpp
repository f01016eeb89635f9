// Kernel list of the onednn provider as data.
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

/// State shared by all kernels of a provider.
struct Tools {
  std::shared_ptr<PrimitiveCache> cache;
  cpu::Isa isa = cpu::Isa::baseline;  ///< for the work around oneDNN
  std::int64_t block = 8;             ///< oneDNN's preferred channel block
  Layout blocked = Layout::blocked8;  ///< the layout with that block
};

/// The kernel of one operator.
struct KernelRow {
  std::string_view name;  ///< "onednn_conv"
  std::string_view op_type;
  /// The reason for refusing the node; empty: it is accepted.
  std::string (*refuses)(const NodeView& view, const Tools& tools);
  KernelPtr (*compile)(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
  /// Whether the kernel can fuse `next`, sole consumer of the group's sole used output. Null:
  /// never.
  bool (*absorbs)(const NodeView& group, const Node& next) = nullptr;
  /// The layout choices for a group, the plain one first. Null: plain only.
  std::vector<LayoutChoice> (*layouts)(const NodeView& group, const Tools& tools) = nullptr;
};

/// One row per operator, all for float32 and ai.onnx.
std::span<const KernelRow> kernel_list();

// Each set is defined in a file of its own.
std::string refuses_conv(const NodeView& view, const Tools& tools);
bool conv_absorbs(const NodeView& group, const Node& next);
std::vector<LayoutChoice> conv_layouts(const NodeView& group, const Tools& tools);
KernelPtr compile_conv(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
std::string refuses_gemm(const NodeView& view, const Tools& tools);
bool product_absorbs(const NodeView& group, const Node& next);
KernelPtr compile_gemm(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);
std::string refuses_matmul(const NodeView& view, const Tools& tools);
KernelPtr compile_matmul(const NodeView& view, const KernelRow& row, const Tools& tools,
                         const CompileContext& context);
std::string refuses_pool(const NodeView& view, const Tools& tools);
std::vector<LayoutChoice> pool_layouts(const NodeView& group, const Tools& tools);
KernelPtr compile_pool(const NodeView& view, const KernelRow& row, const Tools& tools,
                       const CompileContext& context);

}  // namespace ortool::onednn
