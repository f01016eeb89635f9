// Convolution weights and bias in the order in which oneDNN reads them, piece by piece.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "providers/onednn/conv_tiles.hpp"

namespace ortool::onednn {

/// Packs the weights of one piece. `weights`: all weights of the node, as in the model; `scale`: a
/// factor per output channel (empty: none). `staging`: staging_bytes().
class ConvWeightPacker {
 public:
  /// `primitives` are those of the partition's kinds, null for a kind without pieces.
  ConvWeightPacker(const ConvShape& shape, const ConvPartition& partition,
                   std::span<const PrimitivePtr, 2> primitives, PrimitiveCache& cache);

  std::int64_t packed_bytes() const { return packed_bytes_; }
  std::int64_t staging_bytes() const { return staging_bytes_; }
  /// Offset of a piece's weights within the packed ones.
  std::int64_t offset_of(std::size_t output_tile) const { return offsets_[output_tile]; }

  void pack(const ConvTile& output_tile, const float* weights, std::span<const double> scale,
            std::byte* staging, std::byte* packed) const;

 private:
  void stage(const ConvTile& output_tile, const float* weights, std::span<const double> scale,
             float* out) const;

  ConvShape shape_;
  std::array<ConvRequest, 2> requests_;
  std::array<PrimitivePtr, 2> reorders_;
  std::vector<std::int64_t> offsets_;
  std::int64_t packed_bytes_ = 0;
  std::int64_t staging_floats_ = 0;
  std::int64_t staging_bytes_ = 0;
};

}  // namespace ortool::onednn
