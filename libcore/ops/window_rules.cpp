// Output sizes of sliding windows. All numbers are range-checked first, so nothing here overflows.
#include "libcore/ops/window_rules.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// The upper bound of any attribute, chosen so that the product of two stays below 2^63.
constexpr std::int64_t max_extent = std::int64_t{1} << 31;
constexpr std::int64_t max_input = std::int64_t{1} << 43;

std::vector<std::int64_t> read_extents(AttributeReader& attributes, std::string_view name,
                                       std::int64_t least) {
  std::vector<std::int64_t> values =
      attributes.find_integers(name).value_or(std::vector<std::int64_t>());
  for (const std::int64_t value : values) {
    if (value >= least && value <= max_extent) continue;
    throw Error(ErrorCode::invalid,
                format("attribute '{}' holds {} (expected {} to 2^31)", name, value, least));
  }
  return values;
}

AutoPad read_auto_pad(AttributeReader& attributes) {
  if (attributes.string("auto_pad").empty()) return AutoPad::not_set;
  return attributes.choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"},
                           AutoPad::not_set);
}

std::int64_t at_or(const std::vector<std::int64_t>& values, std::size_t index,
                   std::int64_t otherwise) {
  return index < values.size() ? values[index] : otherwise;
}

/// The axis with all fields set except `out` and the pads that auto_pad determines.
WindowAxis start_axis(const WindowAttributes& window, std::size_t index, std::size_t axes,
                      std::int64_t in, std::int64_t kernel) {
  WindowAxis axis;
  axis.in = in;
  axis.kernel = kernel;
  axis.stride = at_or(window.strides, index, 1);
  axis.dilation = at_or(window.dilations, index, 1);
  if (window.auto_pad == AutoPad::not_set) {
    axis.pad_begin = at_or(window.pads, index, 0);
    axis.pad_end = at_or(window.pads, axes + index, 0);
  }
  return axis;
}

std::int64_t extent_of(const WindowAxis& axis) {
  return (axis.kernel - 1) * axis.dilation + 1;
}

void check_input(std::int64_t in) {
  if (in >= 0 && in <= max_input) return;
  throw Error(ErrorCode::invalid, format("an axis has the size {} (expected 0 to 2^43)", in));
}

void check_kernel(std::int64_t kernel) {
  if (kernel >= 1 && kernel <= max_extent) return;
  throw Error(ErrorCode::invalid,
              format("the window is {} wide along an axis (expected 1 to 2^31)", kernel));
}

void split_pad(WindowAxis& axis, std::int64_t total, bool odd_behind) {
  axis.pad_begin = odd_behind ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

[[noreturn]] void throw_no_fit(const WindowAxis& axis) {
  throw Error(
      ErrorCode::invalid,
      format("a window {} wide does not fit in {} (input {}, pads {} and {})", extent_of(axis),
             axis.in + axis.pad_begin + axis.pad_end, axis.in, axis.pad_begin, axis.pad_end));
}

WindowAxis place_axis(const WindowAttributes& window, std::size_t index, std::size_t axes,
                      std::int64_t in, std::int64_t kernel, WindowFit fit) {
  check_input(in);
  check_kernel(kernel);
  WindowAxis axis = start_axis(window, index, axes, in, kernel);
  const std::int64_t extent = extent_of(axis);
  if (window.auto_pad == AutoPad::same_upper || window.auto_pad == AutoPad::same_lower) {
    axis.out = in / axis.stride + (in % axis.stride != 0 ? 1 : 0);
    if (axis.out == 0) return axis;
    const std::int64_t total =
        std::max<std::int64_t>((axis.out - 1) * axis.stride + extent - in, 0);
    split_pad(axis, total, window.auto_pad == AutoPad::same_upper);
    return axis;
  }
  const std::int64_t room = in + axis.pad_begin + axis.pad_end - extent;
  if (room < 0 && in == 0) return axis;
  if (room < 0 && fit == WindowFit::inside) throw_no_fit(axis);
  // Integer division truncates toward zero, which rounds up where `room` is negative.
  const bool adds_rest = window.ceil_mode && (room >= 0 || window.ceil_to_zero);
  const std::int64_t steps = (room + (adds_rest ? axis.stride - 1 : 0)) / axis.stride;
  axis.out = steps + 1;
  if (axis.out < 0) throw_no_fit(axis);
  if (window.ceil_mode && steps * axis.stride >= in + axis.pad_begin) --axis.out;
  return axis;
}

WindowAxis place_transposed_axis(const WindowAttributes& window, const TransposedWindow& transposed,
                                 std::size_t index, std::size_t axes, std::int64_t in,
                                 std::int64_t kernel) {
  check_input(in);
  check_kernel(kernel);
  WindowAxis axis = start_axis(window, index, axes, in, kernel);
  const std::int64_t padding = at_or(transposed.output_padding, index, 0);
  // Strides may be as large as 2^31, so the product must be checked.
  const std::int64_t full =
      multiply_sizes(std::max<std::int64_t>(in - 1, 0), axis.stride) + extent_of(axis) + padding;
  const bool is_same =
      window.auto_pad == AutoPad::same_upper || window.auto_pad == AutoPad::same_lower;
  if (!transposed.output_shape.empty() || is_same) {
    axis.out = transposed.output_shape.empty() ? multiply_sizes(in, axis.stride)
                                               : transposed.output_size(index, axes);
    split_pad(axis, std::max<std::int64_t>(full - axis.out, 0),
              window.auto_pad == AutoPad::same_upper);
    return axis;
  }
  axis.out = in == 0 ? 0 : full - axis.pad_begin - axis.pad_end;
  if (axis.out < 0 || (axis.out == 0 && in > 0)) {
    throw Error(ErrorCode::invalid, format("pads {} and {} leave nothing of an output of size {}",
                                           axis.pad_begin, axis.pad_end, full));
  }
  return axis;
}

/// place_axis as a formula, for windows that fit into the input.
Dimension window_output(const WindowAttributes& window, std::size_t index, std::size_t axes,
                        const Dimension& in, const Dimension& kernel) {
  if (kernel.is_known()) check_kernel(kernel.number());
  const WindowAxis axis = start_axis(window, index, axes, 0, 1);
  if (window.auto_pad == AutoPad::same_upper || window.auto_pad == AutoPad::same_lower)
    return ceil_divide(in, axis.stride);
  const Dimension extent = (kernel - 1) * axis.dilation + 1;
  const Dimension room = in + axis.pad_begin + axis.pad_end - extent;
  if (!window.ceil_mode) return floor_divide(room, axis.stride) + 1;
  // The last window starts before the padded input's end. The lesser of a / s and b / s, both
  // rounded up, is the one with the lesser dividend.
  const Dimension behind = axis.pad_end - extent + axis.stride;
  if (!behind.is_known()) return ceil_divide(room, axis.stride) + 1;
  const std::int64_t more = behind.number() <= 0
                                ? behind.number()
                                : std::max<std::int64_t>(behind.number() - axis.stride, 0);
  return ceil_divide(in + axis.pad_begin + more, axis.stride);
}

/// place_transposed_axis as a formula.
Dimension transposed_output(const WindowAttributes& window, const TransposedWindow& transposed,
                            std::size_t index, std::size_t axes, const Dimension& in,
                            const Dimension& kernel) {
  if (kernel.is_known()) check_kernel(kernel.number());
  const WindowAxis axis = start_axis(window, index, axes, 0, 1);
  if (window.auto_pad == AutoPad::same_upper || window.auto_pad == AutoPad::same_lower)
    return in * axis.stride;
  const std::int64_t padding = at_or(transposed.output_padding, index, 0);
  return (in - 1) * axis.stride + (kernel - 1) * axis.dilation + 1 + padding - axis.pad_begin -
         axis.pad_end;
}

}  // namespace

void WindowAttributes::read(AttributeReader& attributes) {
  auto_pad = read_auto_pad(attributes);
  kernel = read_extents(attributes, "kernel_shape", 1);
  strides = read_extents(attributes, "strides", 1);
  dilations = read_extents(attributes, "dilations", 1);
  pads = read_extents(attributes, "pads", 0);
  ceil_mode = attributes.flag("ceil_mode");
  for (const std::size_t count :
       {kernel.size(), strides.size(), dilations.size(), pads.size() / 2}) {
    if (count != 0) check_axes(static_cast<std::int64_t>(count));
  }
}

void WindowAttributes::check_axes(std::int64_t axes) const {
  const auto check = [](std::string_view name, const std::vector<std::int64_t>& values,
                        std::int64_t wanted) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (count == 0 || count == wanted) return;
    throw Error(ErrorCode::invalid,
                format("attribute '{}' holds {} numbers (expected {})", name, count, wanted));
  };
  check("kernel_shape", kernel, axes);
  check("strides", strides, axes);
  check("dilations", dilations, axes);
  check("pads", pads, 2 * axes);
}

std::vector<WindowAxis> place_window(const WindowAttributes& window,
                                     std::span<const std::int64_t> in,
                                     std::span<const std::int64_t> kernel, WindowFit fit) {
  window.check_axes(static_cast<std::int64_t>(in.size()));
  ORTOOL_CHECK(in.size() == kernel.size());
  std::vector<WindowAxis> axes;
  for (std::size_t i = 0; i < in.size(); ++i)
    axes.push_back(place_axis(window, i, in.size(), in[i], kernel[i], fit));
  return axes;
}

Dimensions window_outputs(const WindowAttributes& window, std::span<const Dimension> in,
                          std::span<const Dimension> kernel, WindowFit fit) {
  window.check_axes(static_cast<std::int64_t>(in.size()));
  ORTOOL_CHECK(in.size() == kernel.size());
  Dimensions out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].is_known() && kernel[i].is_known()) {
      out.emplace_back(
          place_axis(window, i, in.size(), in[i].number(), kernel[i].number(), fit).out);
    } else {
      out.push_back(window_output(window, i, in.size(), in[i], kernel[i]));
    }
  }
  return out;
}

void TransposedWindow::read(AttributeReader& attributes) {
  output_padding = read_extents(attributes, "output_padding", 0);
  output_shape = read_extents(attributes, "output_shape", 0);
}

void TransposedWindow::check_axes(std::int64_t axes) const {
  const auto paddings = static_cast<std::int64_t>(output_padding.size());
  if (paddings != 0 && paddings != axes) {
    throw Error(
        ErrorCode::invalid,
        format("attribute 'output_padding' holds {} numbers (expected {})", paddings, axes));
  }
  const auto sizes = static_cast<std::int64_t>(output_shape.size());
  if (sizes != 0 && sizes != axes && sizes != axes + 2) {
    throw Error(ErrorCode::invalid,
                format("attribute 'output_shape' holds {} numbers (expected {} or {})", sizes, axes,
                       axes + 2));
  }
}

std::int64_t TransposedWindow::output_size(std::size_t axis, std::size_t axes) const {
  return output_shape[output_shape.size() - axes + axis];
}

std::vector<WindowAxis> place_transposed_window(const WindowAttributes& window,
                                                const TransposedWindow& transposed,
                                                std::span<const std::int64_t> in,
                                                std::span<const std::int64_t> kernel) {
  window.check_axes(static_cast<std::int64_t>(in.size()));
  transposed.check_axes(static_cast<std::int64_t>(in.size()));
  ORTOOL_CHECK(in.size() == kernel.size());
  std::vector<WindowAxis> axes;
  for (std::size_t i = 0; i < in.size(); ++i)
    axes.push_back(place_transposed_axis(window, transposed, i, in.size(), in[i], kernel[i]));
  return axes;
}

Dimensions transposed_window_outputs(const WindowAttributes& window,
                                     const TransposedWindow& transposed,
                                     std::span<const Dimension> in,
                                     std::span<const Dimension> kernel) {
  window.check_axes(static_cast<std::int64_t>(in.size()));
  transposed.check_axes(static_cast<std::int64_t>(in.size()));
  ORTOOL_CHECK(in.size() == kernel.size());
  Dimensions out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!transposed.output_shape.empty()) {
      out.emplace_back(transposed.output_size(i, in.size()));
    } else if (in[i].is_known() && kernel[i].is_known()) {
      out.emplace_back(place_transposed_axis(window, transposed, i, in.size(), in[i].number(),
                                             kernel[i].number())
                           .out);
    } else {
      out.push_back(transposed_output(window, transposed, i, in.size(), in[i], kernel[i]));
    }
  }
  return out;
}

}  // namespace ortool
