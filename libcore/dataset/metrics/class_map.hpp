// Class maps: the class of each pixel, from the outputs of a segmentation model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/dataset/metrics/image_placement.hpp"
#include "libcore/dataset/metrics/named_tensor.hpp"

namespace ortool {

/// Classes by row and column.
struct ClassMap {
  ImageSize size;
  std::int64_t class_count = 0;  ///< 0: unknown
  std::vector<std::int32_t> classes;
};

/// The class map of the first output that has one: the largest of class scores [1,C,H,W] or
/// [1,H,W,C], or classes [1,H,W], [1,1,H,W] or integers [H,W]. Which axis of scores counts the
/// classes follows from the rows and columns of the input, whose aspect ratio the other two have;
/// where both may, from the layout of the input. Throws ErrorCode::invalid when no output has one.
ClassMap class_map_of(std::span<const NamedTensor> outputs, const ImageSize& input_size,
                      bool is_channels_last);

}  // namespace ortool
