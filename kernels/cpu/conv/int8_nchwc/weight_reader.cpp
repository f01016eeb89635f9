// Reads weights of an int8 NCHW16c convolution back, from the layout that its algorithm packed.
#include "kernels/cpu/conv/int8_nchwc/weight_reader.hpp"

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/conv/int8_nchwc/tile_layout.hpp"

namespace ortool::cpu {

PackedNchwcWeightReader::PackedNchwcWeightReader(const ConvSizes& sizes, bool from_nchw,
                                                 const std::uint8_t* packed,
                                                 const Int8ConvAlgorithm& algorithm)
    : sizes_(sizes), from_nchw_(from_nchw), packed_(packed), algorithm_(algorithm) {}

void PackedNchwcWeightReader::read(const WeightRange& range, std::int8_t* out) const {
  const Isa isa = algorithm_.isa;
  if (algorithm_.is_winograd) return read_winograd_int8(sizes_, packed_, range, out);
  if (is_tiled_int8(sizes_, isa))
    return read_tiled_weights(sizes_, from_nchw_, packed_, range, out);
  if (splits_quads(isa)) return read_quads(sizes_, from_nchw_, packed_, range, out);
  if (sizes_.groups > 1)
    return read_depthwise(sizes_, joined_depthwise(sizes_, isa) != nullptr, packed_, range, out);
  read_dense(sizes_, from_nchw_, packed_, *nchwc_int8_functions(isa), range, out);
}

TieWeights PackedNchwcWeightReader::place(std::int64_t channel) const {
  if (is_tiled_int8(sizes_, algorithm_.isa))
    return tiled_weight_place(sizes_, from_nchw_, packed_, channel);
  return dense_weight_place(sizes_, from_nchw_, packed_, *nchwc_int8_functions(algorithm_.isa),
                            channel);
}

std::int64_t PackedNchwcWeightReader::chunks() const {
  if (is_tiled_int8(sizes_, algorithm_.isa)) return TiledSteps(sizes_, from_nchw_).chunks;
  return int8_blocks(sizes_.channels_in);
}

std::int64_t PackedNchwcWeightReader::chunk_blocks() const {
  if (is_tiled_int8(sizes_, algorithm_.isa)) return TiledSteps(sizes_, from_nchw_).chunk_units();
  return 1;
}

}  // namespace ortool::cpu
