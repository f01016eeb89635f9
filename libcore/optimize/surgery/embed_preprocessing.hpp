// Embedded image preprocessing: resizing, cropping and normalization as nodes of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Width and height in pixels; zeros when not requested.
struct PictureSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// The steps from a uint8 image to the model's input, in this order.
struct Preprocessing {
  bool takes_planes = false;      ///< images have channels before rows and columns
  bool has_planes = true;         ///< the model's input has
  std::int64_t shorter_side = 0;  ///< target of resizing; 0: none
  PictureSize resized;
  PictureSize cropped;             ///< center crop
  bool reverses_channels = false;  ///< images are RGB, the input is BGR
  /// (sample - subtracted) * factor: none, one, or one per channel of the input.
  std::vector<double> subtracted;
  std::vector<double> factors;
};

/// Makes an input of the main graph, of rank 2 (rows, columns) to 4 (a batch of images), accept
/// uint8 images: it keeps its name and position, and ONNX nodes named after it compute what the
/// graph read before. If images are resized or cropped, their rows and columns are dimensions
/// "NAME_height" and "NAME_width". Returns the value that replaces the old input. New values have
/// no types until inference. Throws ErrorCode::unsupported when the opset lacks such nodes, and
/// ErrorCode::invalid when there is nothing to do.
Value& embed_preprocessing(Model& model, Value& input, const Preprocessing& preprocessing);

}  // namespace ortool
