// How convolutions and pools slide a window: its attributes, and the sizes and pads they lead to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/dimension.hpp"
#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

enum class AutoPad {
  not_set,     ///< `pads` counts
  same_upper,  ///< as many outputs as inputs divided by the stride; the odd pad behind
  same_lower,  ///< the same, the odd pad in front
  valid,       ///< no pads
};

/// A window as the node gives it. An empty list stands for ones, in `pads` for zeros, and in
/// `kernel` for the size of the weights.
struct WindowAttributes {
  AutoPad auto_pad = AutoPad::not_set;
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< all in front, then all behind
  bool ceil_mode = false;
  /// With ceil_mode: a negative number of steps is rounded towards zero, not up (opset 22).
  bool ceil_to_zero = false;

  /// Reads auto_pad, kernel_shape, strides, dilations, pads and ceil_mode. Throws
  /// ErrorCode::invalid for numbers that no window has and lists that do not go together.
  void read(AttributeReader& attributes);
  /// Throws ErrorCode::invalid when a list is not made for `axes` axes.
  void check_axes(std::int64_t axes) const;
};

/// The window along one axis: output i reads the inputs i * stride - pad_begin + j * dilation for
/// each j below `kernel`. For a transposed convolution `in` and `out` change places.
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

/// Whether a window may be wider than the padded input.
enum class WindowFit {
  inside,  ///< no, that is an error: convolutions
  beyond,  ///< yes: pools
};

/// The window on inputs of the sizes `in` (without batch and channels), `kernel` wide. Throws
/// ErrorCode::invalid when it does not fit. Formulas: Conv and MaxPool in ONNX's documentation;
/// with ceil_mode a last window that would start behind the input and its front pad is left out.
/// A pool's window that is wider than the padded input is placed as often as ONNX's shape inference
/// says: (padded input - window) / stride + 1 times, rounded towards zero; with ceil_mode, before
/// opset 22, up. None at all is an empty output, and less than none an error.
std::vector<WindowAxis> place_window(const WindowAttributes& window,
                                     std::span<const std::int64_t> in,
                                     std::span<const std::int64_t> kernel,
                                     WindowFit fit = WindowFit::inside);

/// The output sizes of the same, as formulas where not all is known. These hold for windows that
/// fit into images that are not empty.
Dimensions window_outputs(const WindowAttributes& window, std::span<const Dimension> in,
                          std::span<const Dimension> kernel, WindowFit fit = WindowFit::inside);

/// What a transposed convolution has besides.
struct TransposedWindow {
  std::vector<std::int64_t> output_padding;  ///< empty: zeros
  std::vector<std::int64_t> output_shape;    ///< empty: from the pads; may begin with N and C

  void read(AttributeReader& attributes);
  void check_axes(std::int64_t axes) const;
  /// Of a given output_shape, for one of `axes` axes behind N and C.
  std::int64_t output_size(std::size_t axis, std::size_t axes) const;
};

/// The window of a transposed convolution: pads that output_shape or auto_pad ask for are worked
/// out. Throws ErrorCode::invalid when no output is left.
std::vector<WindowAxis> place_transposed_window(const WindowAttributes& window,
                                                const TransposedWindow& transposed,
                                                std::span<const std::int64_t> in,
                                                std::span<const std::int64_t> kernel);

/// The output sizes of the same, as formulas where not all is known.
Dimensions transposed_window_outputs(const WindowAttributes& window,
                                     const TransposedWindow& transposed,
                                     std::span<const Dimension> in,
                                     std::span<const Dimension> kernel);

}  // namespace ortool
