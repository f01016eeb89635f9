// Bfloat16 NCHW16c convolution: copies strips of the image, and multiplies them by the weights.
#include "kernels/cpu/conv/bf16_nchwc/conv.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// A strip's copy: about this many bytes, so that it stays in the L2 cache.
constexpr std::int64_t strip_bytes = std::int64_t{1} << 20U;
constexpr std::int64_t conv_task_products = std::int64_t{4} << 20U;
/// Of one thread alone, so that the epilogue of one panel runs while the next one accumulates.
constexpr std::int64_t serial_conv_task_products = std::int64_t{64} << 20U;
/// Values of a window that are copied at once.
constexpr std::int64_t window_piece = 8;
/// Panels of the AVX512-BF16 tile and of the AMX block divide this many.
constexpr std::int64_t panels_unit = 6;

std::int64_t blocks_for(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit;
}

/// Values of a window.
std::int64_t window_values(const ConvSizes& sizes) {
  return volume(sizes.kernel) * sizes.channels_in;
}

std::int64_t conv_steps(const ConvSizes& sizes, bool from_nchw) {
  if (from_nchw) return blocks_for(window_values(sizes), bf16_step);
  return volume(sizes.kernel) * blocks_for(sizes.channels_in, bf16_step);
}

std::int64_t conv_panels(const ConvSizes& sizes) {
  return blocks_for(sizes.channels_out, bf16_panel_columns);
}

template <typename T>
T* at(T* image, std::int64_t place) {
  return image == nullptr ? nullptr : image + place;
}

/// Distance of the first and last tap along an axis.
std::int64_t reach(const ConvSizes& sizes, int axis) {
  return (sizes.kernel[axis] - 1) * sizes.dilation[axis];
}

}  // namespace

bool can_use_bf16_conv(const ConvSizes& sizes, bool from_nchw) {
  constexpr std::int64_t few_channels = 4;
  if (from_nchw && (sizes.channels_in > few_channels || sizes.dilation[2] != 1)) return false;
  return sizes.groups == 1 && sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.kernel[0] == 1 &&
         sizes.pad[0] == 0 && sizes.channels_in > 0 && sizes.channels_out > 0 &&
         volume(sizes.kernel) > 0;
}

std::int64_t packed_bf16_conv_bytes(const ConvSizes& sizes, bool from_nchw) {
  return conv_panels(sizes) * conv_steps(sizes, from_nchw) * bf16_step_values * 2;
}

void pack_bf16_conv_weights(const ConvSizes& sizes, bool from_nchw, const float* weights, Isa isa,
                            std::uint16_t* out, Workers& workers) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  ORTOOL_CHECK(functions != nullptr);
  const std::int64_t steps = conv_steps(sizes, from_nchw);
  const std::int64_t taps = volume(sizes.kernel);
  const std::int64_t chunks = blocks_for(sizes.channels_in, bf16_step);
  workers.parallel_for(conv_panels(sizes), [&](std::int64_t panel) {
    const std::int64_t first = panel * bf16_panel_columns;
    const std::int64_t columns = std::min(bf16_panel_columns, sizes.channels_out - first);
    std::uint16_t* panel_out = out + panel * steps * bf16_step_values;
    if (from_nchw) {
      const std::int64_t values = window_values(sizes);
      functions->pack_transposed(weights + first * values, values, columns, values, panel_out);
      return;
    }
    std::vector<float> rows(static_cast<std::size_t>(steps * bf16_step * columns));
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t channel = 0; channel < sizes.channels_in; ++channel) {
        float* to = rows.data() + (tap * chunks * bf16_step + channel) * columns;
        for (std::int64_t column = 0; column < columns; ++column)
          to[column] = weights[((first + column) * sizes.channels_in + channel) * taps + tap];
      }
    }
    functions->pack_columns(rows.data(), columns, columns, steps * bf16_step, panel_out);
  });
}

Bf16ConvPlan::Bf16ConvPlan(const ConvSizes& sizes, bool from_nchw, bool has_bfloat16, Isa isa)
    : sizes_(sizes),
      from_nchw_(from_nchw),
      is_in_place_(has_bfloat16 && !from_nchw && can_read_in_place(isa)),
      chunks_(blocks_for(from_nchw ? window_values(sizes) : sizes.channels_in, chunk_values())),
      position_values_(from_nchw ? chunks_ * bf16_step : chunk_values()),
      phases_{from_nchw ? 1 : std::min(sizes.stride[1], reach(sizes, 1) + 1),
              from_nchw ? 1 : std::min(sizes.stride[2], reach(sizes, 2) + 1)},
      row_shift_(from_nchw ? 0 : reach(sizes, 1) / sizes.stride[1]),
      width_(sizes.out[2] + (from_nchw ? 0 : reach(sizes, 2) / sizes.stride[2])) {
  const std::int64_t row_bytes = phases_[0] * phases_[1] * chunks_ * width_ * chunk_values() * 2;
  const std::int64_t height = std::max<std::int64_t>(1, sizes.out[1]);
  const std::int64_t fitting = strip_bytes / std::max<std::int64_t>(1, row_bytes) - row_shift_;
  const std::int64_t rows = std::clamp<std::int64_t>(fitting, 1, height);
  strip_rows_ = blocks_for(height, blocks_for(height, rows));
  // The last group reads past the last row.
  plane_values_ = (copied_rows(strip_rows_) * width_ + bf16_group_positions) * position_values_;
  place_taps();
  groups_ = groups_of(strip_rows_);
  const std::int64_t rest = height % strip_rows_;
  if (rest != 0) last_ = groups_of(rest);
}

/// The offset of each step from its position.
void Bf16ConvPlan::place_taps() {
  if (is_in_place_) {
    const std::int64_t plane = sizes_.in[1] * sizes_.in[2] * image_block;
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) offsets_.push_back(chunk * plane);
    return;
  }
  if (from_nchw_) {
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) offsets_.push_back(chunk * bf16_step);
    image_rows_ = (strip_rows_ - 1) * sizes_.stride[1] + reach(sizes_, 1) + 1;
    image_columns_ = (sizes_.out[2] - 1) * sizes_.stride[2] + reach(sizes_, 2) + 1;
    return;
  }
  for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row) {
    for (std::int64_t column = 0; column < sizes_.kernel[2]; ++column) {
      const std::int64_t y = row * sizes_.dilation[1];
      const std::int64_t x = column * sizes_.dilation[2];
      const std::int64_t phase = y % sizes_.stride[1] * phases_[1] + x % sizes_.stride[2];
      const std::int64_t shift = y / sizes_.stride[1] * width_ + x / sizes_.stride[2];
      for (std::int64_t chunk = 0; chunk < chunks_; ++chunk)
        offsets_.push_back((phase * chunks_ + chunk) * plane_values_ + shift * bf16_step);
    }
  }
}

std::vector<Bf16Positions> Bf16ConvPlan::groups_of(std::int64_t rows) const {
  std::vector<Bf16Positions> groups;
  const std::int64_t columns = sizes_.out[2];
  if (columns <= 0) return groups;
  for (std::int64_t start = 0; start < rows * width_;) {
    if (start % width_ >= columns) {
      start += width_ - start % width_;
      continue;
    }
    Bf16Positions& group = groups.emplace_back();
    // In place, the last group begins earlier, so that it reads nothing behind the image.
    const std::int64_t last = rows * width_ - bf16_group_positions;
    group.start = is_in_place_ ? std::min(start, last) : start;
    for (std::int64_t i = 0; i < bf16_group_positions; ++i) {
      const std::int64_t row = (group.start + i) / width_;
      const std::int64_t column = (group.start + i) % width_;
      const bool is_pixel = group.start + i >= start && row < rows && column < columns;
      group.pixels[i] = is_pixel ? static_cast<std::int32_t>(row * columns + column) : -1;
    }
    start += bf16_group_positions;
  }
  return groups;
}

bool Bf16ConvPlan::can_read_in_place(Isa isa) const {
  const bool has_pixels = volume(sizes_.kernel) == 1 && sizes_.stride[1] == 1 &&
                          sizes_.stride[2] == 1 && sizes_.pad[1] == 0 && sizes_.pad[2] == 0 &&
                          sizes_.in[1] == sizes_.out[1] && sizes_.in[2] == sizes_.out[2];
  if (!has_pixels || isa >= Isa::amx) return false;
  // A strip must fill a group: the image as a whole, or any row of it.
  const std::int64_t pixels = volume(sizes_.out);
  const std::int64_t bytes = blocks_for(sizes_.channels_in, image_block) * image_block * pixels * 2;
  return (pixels >= bf16_group_positions && bytes <= strip_bytes) ||
         sizes_.out[2] >= bf16_group_positions;
}

std::int64_t Bf16ConvPlan::workspace_bytes() const {
  if (is_in_place_) return 0;
  // Taps of the last group read past the last plane by the largest shift.
  const std::int64_t past = (row_shift_ * width_ + width_) * bf16_step;
  if (!from_nchw_) return (phases_[0] * phases_[1] * chunks_ * plane_values_ + past) * 2;
  const std::int64_t image = sizes_.channels_in * image_rows_ * image_columns_;
  return (plane_values_ + image + window_piece) * 2;
}

std::int64_t Bf16ConvPlan::held_bytes() const {
  return static_cast<std::int64_t>((groups_.size() + last_.size()) * sizeof(Bf16Positions) +
                                   offsets_.size() * sizeof(std::int64_t));
}

void Bf16ConvPlan::copy_row(const Strip& strip, std::int64_t index, const InputImage& x,
                            const Bf16ConvFunctions& functions, std::uint16_t* out) const {
  const std::int64_t rows = copied_rows(strip.rows);
  const std::int64_t row = index % rows;
  const std::int64_t chunk = index / rows % chunks_;
  const std::int64_t phase = index / rows / chunks_;
  const std::int64_t step = sizes_.stride[2];
  const std::int64_t from_row =
      (strip.begin + row) * sizes_.stride[1] + phase / phases_[1] - sizes_.pad[1];
  const std::int64_t from_column = phase % phases_[1] - sizes_.pad[2];
  // The first position that reads at or past `bound`.
  const auto reaches = [&](std::int64_t bound) {
    const std::int64_t missing = bound - from_column;
    return missing <= 0 ? 0 : std::min(width_, (missing + step - 1) / step);
  };
  const bool has_row = from_row >= 0 && from_row < sizes_.in[1];
  const std::int64_t blocks = blocks_for(sizes_.channels_in, image_block);
  const std::int64_t plane = sizes_.in[1] * sizes_.in[2] * image_block;
  Bf16RowCopy copy = {};
  copy.before = has_row ? reaches(0) : width_;
  copy.inside = has_row ? std::max<std::int64_t>(0, reaches(sizes_.in[2]) - copy.before) : 0;
  copy.behind = width_ - copy.before - copy.inside;
  if (copy.inside > 0) {
    const std::int64_t place =
        (strip.image * blocks + 2 * chunk) * plane +
        (from_row * sizes_.in[2] + from_column + copy.before * step) * image_block;
    if (x.bfloat16 != nullptr) {
      copy.in_bfloat16 = x.bfloat16 + place;
    } else {
      copy.in = x.floats + place;
    }
  }
  copy.in_stride = 2 * chunk + 1 < blocks ? plane : 0;
  copy.pixel_step = step * image_block;
  copy.out = out + (phase * chunks_ + chunk) * plane_values_ + row * width_ * bf16_step;
  functions.copy_row(copy);
}

/// The rows that the strip reads, as bfloat16 and with padding.
void Bf16ConvPlan::round_image(const Strip& strip, const float* x,
                               const Bf16ConvFunctions& functions, std::uint16_t* image,
                               Workers& workers) const {
  constexpr std::int64_t grain = 16;
  const std::int64_t before = std::min(sizes_.pad[2], image_columns_);
  const std::int64_t inside = std::min(sizes_.in[2], image_columns_ - before);
  const std::int64_t first = strip.begin * sizes_.stride[1] - sizes_.pad[1];
  workers.parallel_ranges(
      sizes_.channels_in * image_rows_, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
          const std::int64_t channel = strip.image * sizes_.channels_in + index / image_rows_;
          const std::int64_t row = first + index % image_rows_;
          std::uint16_t* to = image + index * image_columns_;
          std::fill_n(to, image_columns_, std::uint16_t{0});
          if (row < 0 || row >= sizes_.in[1]) continue;
          functions.round_row(x + (channel * sizes_.in[1] + row) * sizes_.in[2], inside,
                              to + before);
        }
      });
}

/// Copies the window of each pixel, a kernel row after the other in pieces that the next ones
/// overwrite, and zeros after it.
void Bf16ConvPlan::copy_windows(const Strip& strip, const std::uint16_t* image, std::uint16_t* out,
                                Workers& workers) const {
  const std::int64_t values = window_values(sizes_);
  const std::int64_t columns = sizes_.kernel[2];
  workers.parallel_ranges(strip.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pixel = begin * width_; pixel < end * width_; ++pixel) {
      const std::uint16_t* corner = image + pixel / width_ * sizes_.stride[1] * image_columns_ +
                                    pixel % width_ * sizes_.stride[2];
      std::uint16_t* to = out + pixel * position_values_;
      std::uint16_t* const next = to + values;
      std::uint16_t* const last = to + position_values_;
      for (std::int64_t channel = 0; channel < sizes_.channels_in; ++channel) {
        for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row, to += columns) {
          const std::uint16_t* from =
              corner + (channel * image_rows_ + row * sizes_.dilation[1]) * image_columns_;
          if (to + columns + window_piece <= last) {
            for (std::int64_t at = 0; at < columns; at += window_piece)
              std::memcpy(to + at, from + at, window_piece * sizeof(std::uint16_t));
          } else {
            std::copy_n(from, columns, to);
          }
        }
      }
      std::fill(next, last, std::uint16_t{0});
    }
  });
}

void Bf16ConvPlan::copy(const Strip& strip, const InputImage& x, const Bf16ConvFunctions& functions,
                        std::uint16_t* out, Workers& workers) const {
  if (from_nchw_) {
    std::uint16_t* image = out + plane_values_;
    round_image(strip, x.floats, functions, image, workers);
    copy_windows(strip, image, out, workers);
    return;
  }
  constexpr std::int64_t grain_positions = 1024;
  const std::int64_t rows = phases_[0] * phases_[1] * chunks_ * copied_rows(strip.rows);
  const std::int64_t grain =
      std::max<std::int64_t>(1, grain_positions / std::max<std::int64_t>(1, width_));
  workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index)
      copy_row(strip, index, x, functions, out);
  });
}

void Bf16ConvPlan::multiply(const Strip& strip, const Bf16ConvProduct& whole,
                            const Bf16ConvFunctions& functions, Workers& workers) const {
  const std::vector<Bf16Positions>& groups = strip.rows == strip_rows_ ? groups_ : last_;
  const auto count = static_cast<std::int64_t>(groups.size());
  const std::int64_t panels = conv_panels(sizes_);
  const std::int64_t group_products =
      std::max<std::int64_t>(1, whole.panel_values * bf16_group_positions);
  const bool is_alone = workers.count() == 1;
  const std::int64_t products = is_alone ? serial_conv_task_products : conv_task_products;
  std::int64_t task_panels =
      products / (group_products * std::max<std::int64_t>(1, count)) / panels_unit * panels_unit;
  std::int64_t task_groups = count;
  if (task_panels == 0) {
    task_panels = panels_unit;
    task_groups = std::clamp<std::int64_t>(products / (group_products * task_panels), 2,
                                           std::max<std::int64_t>(2, count));
  }
  const std::int64_t group_tasks = blocks_for(count, task_groups);
  workers.parallel_for(blocks_for(panels, task_panels) * group_tasks, [&](std::int64_t task) {
    Bf16ConvProduct part = whole;
    const std::int64_t first = task % group_tasks * task_groups;
    part.groups = groups.data() + first;
    part.group_count = std::min(task_groups, count - first);
    part.panel_begin = task / group_tasks * task_panels;
    part.panel_end = std::min(part.panel_begin + task_panels, panels);
    // The panels after these may belong to another thread, so they are not prefetched.
    part.prefetched_panels = is_alone ? panels : part.panel_end;
    functions.multiply(part);
  });
}

void Bf16ConvPlan::run(const InputImage& x, const std::uint16_t* weights,
                       const InputImage& residual, const OutputImage& y, const Epilogue& epilogue,
                       Isa isa, void* workspace, Workers& workers) const {
  const Bf16ConvFunctions* functions = bf16_conv_functions(isa);
  ORTOOL_CHECK(functions != nullptr);
  const std::int64_t pixels = volume(sizes_.out);
  if (pixels <= 0) return;
  auto* copied = static_cast<std::uint16_t*>(workspace);
  const std::int64_t image_elements = conv_panels(sizes_) * pixels * image_block;
  Bf16ConvProduct whole = {};
  whole.positions = copied;
  whole.offsets = offsets_.data();
  whole.position_values = position_values_;
  whole.steps = static_cast<std::int64_t>(offsets_.size());
  whole.step_pairs = chunk_values() / 2;
  whole.chunks = chunks_;
  const std::int64_t depth = from_nchw_ ? window_values(sizes_) : sizes_.channels_in;
  whole.last_pairs = blocks_for(depth - (chunks_ - 1) * chunk_values(), 2);
  whole.weights = weights;
  whole.panel_values = conv_steps(sizes_, from_nchw_) * bf16_step_values;
  whole.panel_stride = pixels * image_block;
  whole.bias = epilogue.addend == Addend::none ? nullptr : epilogue.added;
  whole.activation = epilogue.activation;
  whole.low = epilogue.low;
  whole.high = epilogue.high;
  for (std::int64_t image = 0; image < sizes_.batch; ++image) {
    for (std::int64_t row = 0; row < sizes_.out[1]; row += strip_rows_) {
      const Strip strip{image, row, std::min(strip_rows_, sizes_.out[1] - row)};
      const std::int64_t place = image * image_elements + row * sizes_.out[2] * image_block;
      whole.y = at(y.floats, place);
      whole.y_bfloat16 = at(y.bfloat16, place);
      whole.residual = at(residual.floats, place);
      whole.residual_bfloat16 = at(residual.bfloat16, place);
      if (is_in_place_) {
        whole.positions =
            x.bfloat16 + (image * chunks_ * pixels + row * sizes_.out[2]) * image_block;
      } else {
        copy(strip, x, *functions, copied, workers);
      }
      multiply(strip, whole, *functions, workers);
    }
  }
}

}  // namespace ortool::cpu
