// com.microsoft.nchwc: ONNX Runtime's operators on images with the channels in blocks, which it
// saves at the level "all" for the processor at hand.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/contrib/fused/fused_conv.hpp"
#include "libcore/ops/nn/pooling/global_pool.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"

namespace ortool {

/// Values in blocks have the shape N x C x H x W with C rounded up to whole blocks. Weights M x C x
/// K1 x K2 have the size of what they stand for, with M and C rounded up, but hold their elements
/// block by block.
struct NchwcConv : FusedConv {
  static const OpSchema schema;
};

struct NchwcMaxPool : MaxPool {
  static const OpSchema schema;
};

struct NchwcAveragePool : AveragePool {
  static const OpSchema schema;
};

struct NchwcGlobalAveragePool : GlobalAveragePool {
  static const OpSchema schema;
};

struct NchwcGlobalMaxPool : GlobalMaxPool {
  static const OpSchema schema;
};

/// An image from NCHW, or NHWC, to blocks. How many channels are added is not known here unless
/// there are none.
struct ReorderInput {
  static const OpSchema schema;

  bool channels_last = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// An image from blocks to NCHW, or NHWC, with this number of channels.
struct ReorderOutput {
  static const OpSchema schema;

  bool channels_last = false;
  std::int64_t channels = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Enlarges an image by whole factors.
struct NchwcUpsampleOp {
  static const OpSchema schema;

  enum class Coordinates { asymmetric, align_corners, half_pixel };

  std::vector<std::int64_t> scales;  ///< of all axes
  bool is_linear = false;
  Coordinates coordinates = Coordinates::asymmetric;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The block sizes that ONNX Runtime uses.
inline constexpr std::int64_t nchwc_block_sizes[] = {8, 16};

}  // namespace ortool
