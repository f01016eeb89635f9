// Prepared convolution for fixed shapes.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "libcore/provider/product_epilogue.hpp"
#include "providers/onednn/conv_op.hpp"
#include "providers/onednn/conv_weights.hpp"
#include "providers/onednn/kernel_list.hpp"

namespace ortool::onednn {

/// Decided at compile time, once per node.
struct CompiledConv {
  explicit CompiledConv(const Node& node) : op(node) {}

  ConvOp op;
  ProductEpilogue epilogue;
  Tools tools;
  int max_threads = 1;
  bool has_constant_weights = false;  ///< else they come at run time
  Tensor constant_weights;            ///< empty: the packed ones suit every image
  std::vector<float> bias;  ///< with the fused shift; empty: none, or it comes at run time
  bool reads_bias = false;  ///< at run time
  std::optional<ConvFormat> image_format;  ///< of the packed weights; empty: not packed yet
  std::array<SerializedDesc, 2> layouts;   ///< of the packed weights, by kind
  AlignedBuffer weights;
  BlockedOperands blocked;

  bool has_bias() const { return !bias.empty(); }
};

/// oneDNN's primitives for a partition's kinds of pieces, for weights in these layouts (empty:
/// oneDNN's preferred one). Null if there is none.
std::array<PrimitivePtr, 2> find_conv_primitives(const ConvPartition& partition,
                                                 const std::array<SerializedDesc, 2>& layouts,
                                                 PrimitiveCache& cache);

/// Whether oneDNN has more than reference code for each kind.
bool are_fast(const ConvPartition& partition, const std::array<PrimitivePtr, 2>& primitives);

/// The node's constant weights, multiplied by the fused scale.
AlignedBuffer pack_constant_weights(const CompiledConv& conv, const ConvPartition& partition,
                                    const ConvWeightPacker& packer, MemoryCap* cap,
                                    Workers& workers);

/// oneDNN must have fast code for `form`. `conv` must outlive the result.
PreparedPtr prepare_conv(const CompiledConv& conv, const ConvShape& shape,
                         const ConvFormat& image_format, const PrepareContext& context);

}  // namespace ortool::onednn
