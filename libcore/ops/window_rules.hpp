// Sliding windows of convolutions and pools: attributes, output sizes and pads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/dimension.hpp"
#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

enum class AutoPad {
  not_set,     ///< uses `pads`
  same_upper,  ///< output size = ceil(input / stride); an odd pad goes to the end
  same_lower,  ///< same, but an odd pad goes to the beginning
  valid,       ///< no padding
};

/// Window attributes of a node. An empty list stands for ones, in `pads` for zeros, and in `kernel`
/// for the size of the weights.
struct WindowAttributes {
  AutoPad auto_pad = AutoPad::not_set;
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< all leading pads, then all trailing ones
  bool ceil_mode = false;
  /// With ceil_mode: round a negative number of steps toward zero instead of up (opset 22).
  bool ceil_to_zero = false;

  /// Reads auto_pad, kernel_shape, strides, dilations, pads and ceil_mode. Throws
  /// ErrorCode::invalid for values out of range and for lists of inconsistent lengths.
  void read(AttributeReader& attributes);
  /// Throws ErrorCode::invalid when a list's length does not match `axes` axes.
  void check_axes(std::int64_t axes) const;
};

/// The window along one axis: output i reads the inputs i * stride - pad_begin + j * dilation for
/// each j below `kernel`. For a transposed convolution, `in` and `out` swap roles.
struct WindowAxis {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;

  bool operator==(const WindowAxis&) const = default;
};

/// Whether a window may be larger than the padded input.
enum class WindowFit {
  inside,  ///< not allowed, an error (convolutions)
  beyond,  ///< allowed (pools)
};

/// Places the window on inputs of the spatial sizes `in` (without batch and channels) with kernel
/// size `kernel`. Throws ErrorCode::invalid when it does not fit. Formulas: Conv and MaxPool in
/// ONNX's documentation; with ceil_mode, a last window that would start past the input and its
/// leading pad is dropped. The number of positions of a pool's window that is larger than the
/// padded input follows ONNX's shape inference: (padded input - window) / stride + 1, rounded
/// toward zero, or up with ceil_mode before opset 22. Zero positions give an empty output; a
/// negative number is an error.
std::vector<WindowAxis> place_window(const WindowAttributes& window,
                                     std::span<const std::int64_t> in,
                                     std::span<const std::int64_t> kernel,
                                     WindowFit fit = WindowFit::inside);

/// The output sizes of place_window, as formulas where not all sizes are known. They hold for
/// windows that fit into non-empty images.
Dimensions window_outputs(const WindowAttributes& window, std::span<const Dimension> in,
                          std::span<const Dimension> kernel, WindowFit fit = WindowFit::inside);

/// Additional attributes of a transposed convolution.
struct TransposedWindow {
  std::vector<std::int64_t> output_padding;  ///< empty means zeros
  std::vector<std::int64_t> output_shape;    ///< empty: computed from the pads; may include N and C

  void read(AttributeReader& attributes);
  void check_axes(std::int64_t axes) const;
  /// The output size for a given output_shape, for one of `axes` axes after N and C.
  std::int64_t output_size(std::size_t axis, std::size_t axes) const;
};

/// Places the window of a transposed convolution and computes the pads that output_shape or
/// auto_pad imply. Throws ErrorCode::invalid when the output would be empty.
std::vector<WindowAxis> place_transposed_window(const WindowAttributes& window,
                                                const TransposedWindow& transposed,
                                                std::span<const std::int64_t> in,
                                                std::span<const std::int64_t> kernel);

/// The output sizes of place_transposed_window, as formulas where not all sizes are known.
Dimensions transposed_window_outputs(const WindowAttributes& window,
                                     const TransposedWindow& transposed,
                                     std::span<const Dimension> in,
                                     std::span<const Dimension> kernel);

}  // namespace ortool
