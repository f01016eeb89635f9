// The preparation of pictures as nodes in front of a model's input.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Width and height in pixels; zeros where none is asked for.
struct PictureSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// What happens between a picture of bytes and an input, in this order.
struct Preprocessing {
  bool takes_planes = false;      ///< pictures have their channels before rows and columns
  bool has_planes = true;         ///< the model's input has
  std::int64_t shorter_side = 0;  ///< to resize to; 0: not so
  PictureSize resized;
  PictureSize cropped;             ///< the middle of the picture
  bool reverses_channels = false;  ///< pictures are RGB, the input is BGR
  /// (sample - subtracted) * factor: none, one, or one a channel of the input.
  std::vector<double> subtracted;
  std::vector<double> factors;
};

/// Lets an input of the main graph, of rank 2 (rows, columns) to 4 (a batch of pictures), take
/// uint8 pictures: it keeps its name and place, and nodes of ONNX's own, named after it, make of
/// them what the graph read before. Where pictures are resized or cropped their rows and columns
/// are dimensions "NAME_height" and "NAME_width". Returns the value that stands for the old input.
/// New values have no types before they are inferred. Throws ErrorCode::unsupported where the opset
/// has no such nodes, and ErrorCode::invalid where there is nothing to do.
Value& embed_preprocessing(Model& model, Value& input, const Preprocessing& preprocessing);

}  // namespace ortool
