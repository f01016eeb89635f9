// Direct convolution, pixels as vector lanes, for few output channels: packing windows would take
// longer than multiplying them.
#include <algorithm>
#include <cstddef>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchw/direct_tile.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/parallel/grain_size.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t unit_rows = 4;
constexpr std::int64_t unit_blocks = 32;

/// A pointwise convolution has one row of pixels, any other two dimensions.
ConvSizes flattened(const ConvSizes& sizes) {
  if (!is_pointwise(sizes)) return sizes;
  ConvSizes flat = sizes;
  for (int axis = 0; axis < 3; ++axis) flat.in[axis] = flat.out[axis] = 1;
  flat.in[2] = flat.out[2] = volume(sizes.in);
  return flat;
}

/// Windows that reach over the edge of the image are copied, and zeros around them.
struct PatchLayout {
  std::int64_t row_floats = 0;
  std::int64_t channel_floats = 0;
  std::int64_t floats = 0;

  PatchLayout(const ConvSizes& sizes, std::int64_t block)
      : row_floats(block + (sizes.kernel[2] - 1) * sizes.dilation[2]),
        channel_floats(sizes.kernel[1] * row_floats),
        floats(sizes.channels_in / sizes.groups * channel_floats) {}
};

/// Writes where a window's positions lie from its first one; returns the end.
std::int64_t* set_offsets(const ConvSizes& sizes, std::int64_t row_stride, std::int64_t* offsets) {
  for (std::int64_t row = 0; row < sizes.kernel[1]; ++row) {
    for (std::int64_t column = 0; column < sizes.kernel[2]; ++column)
      *offsets++ = row * row_stride + column * sizes.dilation[2];
  }
  return offsets;
}

std::int64_t offset_bytes(const ConvSizes& sizes) {
  return round_up_to_line(2 * volume(sizes.kernel) * std::int64_t{sizeof(std::int64_t)});
}

/// What all tiles of one convolution share.
struct DirectConv {
  ConvSizes sizes;
  DirectFunctions functions;
  PatchLayout patch;
  const std::int64_t* image_offsets;
  const std::int64_t* patch_offsets;

  /// `offsets`: offset_bytes(given) of them.
  DirectConv(const ConvSizes& given, Isa isa, std::int64_t* offsets)
      : sizes(flattened(given)),
        functions(direct_functions(isa)),
        patch(sizes, functions.block),
        image_offsets(offsets),
        patch_offsets(set_offsets(sizes, sizes.dilation[1] * sizes.in[2], offsets)) {
    set_offsets(sizes, patch.row_floats, offsets + volume(sizes.kernel));
  }

  std::int64_t channels_in() const { return sizes.channels_in / sizes.groups; }
  std::int64_t channels_out() const { return sizes.channels_out / sizes.groups; }
};

/// Output rows and blocks of pixels of one group of one image.
struct Unit {
  const float* in;  ///< the group's first input channel
  float* out;       ///< first of the output channels
  const float* weights;
  Epilogue epilogue;  ///< of these channels; the residual is that of `out`
  std::int64_t channels;
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t block_begin;
  std::int64_t block_end;
};

/// Collects blocks until there is a tile of them: those inside the image, or those in patches.
class TileQueue {
 public:
  TileQueue(const DirectConv& conv, const Unit& unit, bool is_in_patches)
      : run_(conv.functions.run), unit_(unit) {
    tile_.offsets = is_in_patches ? conv.patch_offsets : conv.image_offsets;
    tile_.positions = volume(conv.sizes.kernel);
    tile_.channels_in = conv.channels_in();
    tile_.in_channel_stride = is_in_patches ? conv.patch.channel_floats : volume(conv.sizes.in);
    tile_.out_channel_stride = volume(conv.sizes.out);
    tile_.channels = unit.channels;
    tile_.weights = unit.weights;
  }
  std::int64_t size() const { return size_; }

  void add(const float* in, float* out, std::int64_t columns) {
    tile_.in[size_] = in;
    tile_.out[size_] = out;
    tile_.columns[size_] = columns;
    if (++size_ == direct_tile_blocks) flush();
  }
  void flush() {
    if (size_ == 0) return;
    for (std::int64_t i = size_; i < direct_tile_blocks; ++i) {
      tile_.in[i] = tile_.in[0];
      tile_.out[i] = tile_.out[0];
      tile_.columns[i] = 0;
    }
    set_epilogue_tile(tile_.epilogue, unit_.epilogue, 0, tile_.out[0] - unit_.out);
    run_(tile_);
    size_ = 0;
  }

 private:
  void (*run_)(const DirectTile& tile);
  const Unit& unit_;
  DirectTile tile_;
  std::int64_t size_ = 0;
};

/// Copies the windows of a block whose first one starts at (row, column), perhaps outside.
void copy_patch(const DirectConv& conv, const float* in, std::int64_t row, std::int64_t column,
                float* patch) {
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t width = sizes.in[2];
  const std::int64_t begin = std::clamp<std::int64_t>(-column, 0, conv.patch.row_floats);
  const std::int64_t end = std::clamp<std::int64_t>(width - column, begin, conv.patch.row_floats);
  for (std::int64_t channel = 0; channel < conv.channels_in(); ++channel) {
    for (std::int64_t k = 0; k < sizes.kernel[1]; ++k, patch += conv.patch.row_floats) {
      const std::int64_t y = row + k * sizes.dilation[1];
      if (y < 0 || y >= sizes.in[1]) {
        std::fill_n(patch, conv.patch.row_floats, 0.0F);
        continue;
      }
      const float* from = in + (channel * sizes.in[1] + y) * width + column;
      std::fill_n(patch, begin, 0.0F);
      std::copy(from + begin, from + end, patch + begin);
      std::fill(patch + end, patch + conv.patch.row_floats, 0.0F);
    }
  }
}

void run_unit(const DirectConv& conv, const Unit& unit, float* patches) {
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t block = conv.functions.block;
  const std::int64_t stride = sizes.stride[1];
  const std::int64_t pad = sizes.pad[1];
  const std::int64_t last_row = sizes.in[1] - 1 - (sizes.kernel[1] - 1) * sizes.dilation[1] + pad;
  // Output rows whose windows are inside the image.
  const std::int64_t begin = std::clamp((pad + stride - 1) / stride, unit.row_begin, unit.row_end);
  const std::int64_t end =
      last_row < 0 ? begin : std::clamp(last_row / stride + 1, begin, unit.row_end);
  TileQueue inside(conv, unit, false);
  TileQueue in_patches(conv, unit, true);
  for (std::int64_t b = unit.block_begin; b < unit.block_end; ++b) {
    const std::int64_t column = b * block - sizes.pad[2];
    const std::int64_t columns = std::min(block, sizes.out[2] - b * block);
    float* out = unit.out + b * block;
    const auto add_patches = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t y = from; y < to; ++y) {
        float* patch = patches + in_patches.size() * conv.patch.floats;
        copy_patch(conv, unit.in, y * stride - pad, column, patch);
        in_patches.add(patch, out + y * sizes.out[2], columns);
      }
    };
    if (column < 0 || column + conv.patch.row_floats > sizes.in[2]) {
      add_patches(unit.row_begin, unit.row_end);
      continue;
    }
    add_patches(unit.row_begin, begin);
    const float* in = unit.in + (begin * stride - pad) * sizes.in[2] + column;
    float* to = out + begin * sizes.out[2];
    for (std::int64_t y = begin; y < end; ++y) {
      inside.add(in, to, columns);
      in += stride * sizes.in[2];
      to += sizes.out[2];
    }
    add_patches(end, unit.row_end);
  }
  inside.flush();
  in_patches.flush();
}

/// Applies an activation that tiles leave out.
void activate_unit(const DirectConv& conv, const Unit& unit, Isa isa) {
  const std::int64_t block = conv.functions.block;
  const std::int64_t begin = unit.block_begin * block;
  const std::int64_t end = std::min(unit.block_end * block, conv.sizes.out[2]);
  for (std::int64_t channel = 0; channel < unit.channels; ++channel) {
    float* values =
        unit.out + channel * volume(conv.sizes.out) + unit.row_begin * conv.sizes.out[2] + begin;
    gemm_functions(isa).activate(unit.epilogue.activation, unit.epilogue.low, values,
                                 conv.sizes.out[2], unit.row_end - unit.row_begin, end - begin);
  }
}

std::int64_t slot_bytes(const PatchLayout& patch) {
  return round_up_to_line(direct_tile_blocks * patch.floats * float_bytes);
}

}  // namespace

bool is_direct(const ConvSizes& sizes) {
  // Patches must fit the second cache; with more channels, windows are packed for enough products.
  constexpr std::int64_t max_patch_bytes = 512 * 1024;
  constexpr std::int64_t widest_block = 16;
  const std::int64_t channels = sizes.channels_out / sizes.groups;
  if (channels > max_direct_channels || sizes.stride[2] != 1) return false;
  if (sizes.kernel[0] != 1 || sizes.stride[0] != 1 || sizes.pad[0] != 0 ||
      sizes.in[0] != sizes.out[0] || (sizes.in[0] != 1 && !is_pointwise(sizes))) {
    return false;
  }
  return slot_bytes(PatchLayout(sizes, widest_block)) <= max_patch_bytes;
}

std::int64_t direct_weight_bytes(const ConvSizes& sizes) {
  // NEON reads four weights at a time.
  return round_up_to_line((sizes.channels_out * conv_depth(sizes) + max_direct_channels) *
                          float_bytes);
}

void pack_direct_weights(const ConvSizes& sizes, const float* weights, float* out) {
  const std::int64_t depth = conv_depth(sizes);
  const std::int64_t channels = sizes.channels_out / sizes.groups;
  for (std::int64_t group = 0; group < sizes.groups; ++group) {
    for (std::int64_t position = 0; position < depth; ++position) {
      for (std::int64_t channel = 0; channel < channels; ++channel)
        *out++ = weights[(group * channels + channel) * depth + position];
    }
  }
  std::fill_n(out, max_direct_channels, 0.0F);
}

std::int64_t conv_direct_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  const PatchLayout patch(sizes, direct_functions(isa).block);
  return offset_bytes(sizes) + slot_bytes(patch) * std::max(threads, 1);
}

void conv_direct(const ConvSizes& given, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  constexpr double products_a_nanosecond = 50;
  const DirectConv conv(given, isa, static_cast<std::int64_t*>(workspace));
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t depth = conv_depth(sizes);
  const std::int64_t pixels = volume(sizes.out);
  const std::int64_t blocks = (sizes.out[2] + conv.functions.block - 1) / conv.functions.block;
  const std::int64_t bands = (sizes.out[1] + unit_rows - 1) / unit_rows;
  const std::int64_t segments = (blocks + unit_blocks - 1) / unit_blocks;
  const std::int64_t units = sizes.batch * sizes.groups * bands * segments;
  const auto products = static_cast<double>(sizes.batch * sizes.channels_out * pixels * depth);
  WorkspaceSlots slots(static_cast<std::byte*>(workspace) + offset_bytes(sizes),
                       slot_bytes(conv.patch), workers.count());
  const auto run = [&](std::int64_t index, float* patches) {
    const std::int64_t segment = index % segments;
    const std::int64_t band = index / segments % bands;
    const std::int64_t group = index / segments / bands % sizes.groups;
    const std::int64_t image = index / segments / bands / sizes.groups;
    const std::int64_t channel = group * conv.channels_out();
    const std::int64_t first = (image * sizes.channels_out + channel) * pixels;
    Unit unit;
    unit.in = x + (image * sizes.channels_in + group * conv.channels_in()) * volume(sizes.in);
    unit.out = y + first;
    unit.weights = packed_weights + channel * depth;
    unit.epilogue = epilogue;
    if (epilogue.addend != Addend::none) unit.epilogue.added += channel;
    if (epilogue.residual != nullptr) unit.epilogue.residual += first;
    unit.channels = conv.channels_out();
    unit.row_begin = band * unit_rows;
    unit.row_end = std::min(unit.row_begin + unit_rows, sizes.out[1]);
    unit.block_begin = segment * unit_blocks;
    unit.block_end = std::min(unit.block_begin + unit_blocks, blocks);
    run_unit(conv, unit, patches);
    if (is_function(epilogue.activation)) activate_unit(conv, unit, isa);
  };
  workers.parallel_ranges(units, grain_size(units, products / products_a_nanosecond),
                          [&](std::int64_t begin, std::int64_t end) {
                            const WorkspaceSlots::Lease lease(slots);
                            for (std::int64_t i = begin; i < end; ++i) {
                              workers.poll();
                              run(i, reinterpret_cast<float*>(lease.data()));
                            }
                          });
}

}  // namespace ortool::cpu
