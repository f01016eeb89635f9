// Convolution weights for oneDNN: pieces are zero-padded to whole channel blocks, so that each has
// fast code.
#include "providers/onednn/conv_weights.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.hpp"

namespace ortool::onednn {
namespace {

std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace

ConvWeightPacker::ConvWeightPacker(const ConvShape& shape, const ConvPartition& partition,
                                   std::span<const PrimitivePtr, 2> primitives,
                                   PrimitiveCache& cache)
    : shape_(shape), requests_(partition.requests) {
  std::array<std::int64_t, 2> bytes = {0, 0};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (!partition.has_kind(kind)) continue;
    reorders_[kind] = cache.conv_weights(requests_[kind], primitives[kind]->operand_layout(1));
    ORTOOL_CHECK(reorders_[kind] != nullptr);
    bytes[kind] = aligned_bytes(primitives[kind]->operand_bytes(1));
    staging_floats_ =
        std::max(staging_floats_, reorders_[kind]->operand_bytes(0) / std::int64_t{sizeof(float)});
    staging_bytes_ = std::max(staging_bytes_, aligned_bytes(reorders_[kind]->operand_bytes(0)) +
                                                  aligned_bytes(reorders_[kind]->scratch_bytes()));
  }
  for (const ConvTile& output_tile : partition.output_tiles) {
    offsets_.push_back(packed_bytes_);
    packed_bytes_ += bytes[output_tile.kind];
  }
}

void ConvWeightPacker::pack(const ConvTile& output_tile, const float* weights,
                            std::span<const double> scale, std::byte* staging,
                            std::byte* packed) const {
  const Primitive& reorder = *reorders_[output_tile.kind];
  auto* staged = reinterpret_cast<float*>(staging);
  stage(output_tile, weights, scale, staged);
  const void* operands[] = {staged, packed};
  reorder.run(operands, staging + aligned_bytes(reorder.operand_bytes(0)));
}

void ConvWeightPacker::stage(const ConvTile& output_tile, const float* weights,
                             std::span<const double> scale, float* out) const {
  const ConvRequest& request = requests_[output_tile.kind];
  const bool is_depthwise = shape_.is_depthwise();
  const std::int64_t points = shape_.kernel_points();
  const std::int64_t rows_in = is_depthwise ? 1 : shape_.group_in();
  const std::int64_t row_floats = (is_depthwise ? 1 : request.channels_in) * points;
  const std::int64_t group = output_tile.out_first / shape_.group_out();
  const std::int64_t first = output_tile.out_first % shape_.group_out();
  std::memset(out, 0, static_cast<std::size_t>(request.channels_out * row_floats) * sizeof(float));
  for (std::int64_t o = 0; o < output_tile.out_count; ++o) {
    float* row = out + o * row_floats;
    for (std::int64_t i = 0; i < rows_in; ++i) {
      // Transposed: input channels × output channels per group; otherwise output channels × input
      // channels per group.
      const std::int64_t at = is_depthwise ? output_tile.out_first + o
                              : shape_.is_transposed
                                  ? (group * rows_in + i) * shape_.group_out() + first + o
                                  : (output_tile.out_first + o) * rows_in + i;
      std::memcpy(row + i * points, weights + at * points,
                  static_cast<std::size_t>(points) * sizeof(float));
    }
    if (scale.empty()) continue;
    const double factor = scale[static_cast<std::size_t>(output_tile.out_first + o)];
    for (std::int64_t i = 0; i < rows_in * points; ++i)
      row[i] = static_cast<float>(static_cast<double>(row[i]) * factor);
  }
}

}  // namespace ortool::onednn
