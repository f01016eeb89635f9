// Reads weights of an int8 NCHW16c convolution back, from the layout that its algorithm packed.
#include "kernels/cpu/conv/int8_nchwc/weight_reader.hpp"

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/conv/int8_nchwc/tile_layout.hpp"

namespace ortool::cpu {

PackedNchwcWeightReader::PackedNchwcWeightReader(const ConvSizes& sizes, bool from_nchw,
                                                 const std::uint8_t* packed,
                                                 const Int8ConvAlgorithm& algorithm)
    : sizes_(sizes),
      from_nchw_(from_nchw),
      packed_(packed),
      algorithm_(algorithm),
      is_tiled_(is_tiled_int8(sizes, algorithm.isa)),
      functions_(*nchwc_int8_functions(algorithm.isa)),
      chunks_(int8_blocks(sizes.channels_in)) {
  if (!is_tiled_) return;
  const TiledSteps steps(sizes, from_nchw);
  chunks_ = steps.chunks;
  chunk_blocks_ = steps.chunk_units();
}

void PackedNchwcWeightReader::read(const WeightRange& range, std::int8_t* out) const {
  if (algorithm_.is_winograd) return read_winograd_int8(sizes_, packed_, range, out);
  if (is_tiled_) return read_tiled_weights(sizes_, from_nchw_, packed_, range, out);
  if (functions_.columns != nullptr) return read_quads(sizes_, from_nchw_, packed_, range, out);
  if (sizes_.groups > 1) {
    const bool is_joined = joined_depthwise(sizes_, algorithm_.isa) != nullptr;
    return read_depthwise(sizes_, is_joined, packed_, range, out);
  }
  read_dense(sizes_, from_nchw_, packed_, functions_, range, out);
}

TieWeights PackedNchwcWeightReader::place(std::int64_t channel) const {
  return is_tiled_ ? tiled_weight_place(sizes_, from_nchw_, packed_, channel)
                   : dense_weight_place(sizes_, from_nchw_, packed_, functions_, channel);
}

std::int64_t PackedNchwcWeightReader::second_block(std::int64_t channel) const {
  const std::int64_t pair = channel / (2 * int8_block) * 2;
  if (pair + 1 >= int8_blocks(sizes_.channels_out)) return 0;
  return place((pair + 1) * int8_block).bytes - place(pair * int8_block).bytes;
}

}  // namespace ortool::cpu
