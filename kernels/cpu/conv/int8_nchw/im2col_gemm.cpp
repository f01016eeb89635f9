// Int8 convolution by im2col and GEMM, pixels as vector lanes: the windows are packed one panel at
// a time, then multiplied by the weights.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/rounding_ties.hpp"
#include "kernels/cpu/gemm/int8/packed_product.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t wanted_tasks = 16;
constexpr std::int64_t task_products = 512 * 1024;
constexpr std::int64_t max_columns = 48;

/// How the output pixels of the images and groups are partitioned into panels.
struct PanelPartition {
  std::int64_t steps = 0;
  std::int64_t pixels = 0;
  std::int64_t width = 0;  ///< pixels per panel
  std::int64_t panels = 0;
  std::int64_t images = 0;  ///< groups of an image count as images
  bool shares = false;      ///< few panels: all threads work on the same ones
  std::int64_t panel_bytes = 0;
};

PanelPartition cut_panels(const ConvSizes& sizes, const Int8GemmFunctions& tile) {
  PanelPartition cut;
  cut.steps = int8_conv_steps(sizes, tile);
  cut.pixels = volume(sizes.out);
  cut.width = tile.max_columns;
  cut.panels = (cut.pixels + cut.width - 1) / cut.width;
  cut.images = sizes.batch * sizes.groups;
  cut.shares = cut.panels * cut.images < wanted_tasks;
  cut.panel_bytes = (cut.steps * cut.width * 4 + 63) / 64 * 64;
  return cut;
}

/// Resolves rounding ties in the rows of one group of one image.
class GroupTieResolver : public RowTieResolver {
 public:
  GroupTieResolver(const RoundingTieResolver& tie_resolver, std::int64_t image,
                   std::int64_t first_channel, const std::int32_t* offsets)
      : tie_resolver_(tie_resolver),
        image_(image),
        first_channel_(first_channel),
        offsets_(offsets) {}

  void resolve(std::int64_t row, std::int64_t first, std::int64_t count, const std::int32_t* sums,
               std::uint8_t* out) const override {
    const std::int64_t channel = first_channel_ + row;
    tie_resolver_.resolve(image_, channel, first, count, sums, offsets_[channel], out);
  }

 private:
  const RoundingTieResolver& tie_resolver_;
  std::int64_t image_;
  std::int64_t first_channel_;
  const std::int32_t* offsets_;
};

class ColumnConv {
 public:
  ColumnConv(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
             const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa)
      : sizes_(sizes),
        x_(x),
        tile_(int8_gemm_functions(isa)),
        functions_(quantize_functions(isa)),
        desc_(Int8PackDesc::of(tile_, false, desc.image_flip)),
        fill_(static_cast<std::uint8_t>(params.image_zero ^ desc.image_flip)),
        weights_(reinterpret_cast<const std::int32_t*>(packed)),
        params_(params),
        y_(static_cast<std::byte*>(y)),
        cut_(cut_panels(sizes, tile_)),
        weight_reader_(sizes, packed, isa),
        tie_resolver_(sizes, x, desc, params, weight_reader_, functions_),
        group_out_(sizes.channels_out / sizes.groups) {}

  const PanelPartition& cut() const { return cut_; }
  std::int64_t row_panels() const { return product(0).row_panels(); }
  std::int64_t products_of_panel() const {
    return std::max<std::int64_t>(1, cut_.steps * tile_.group * cut_.width * group_out_);
  }

  void pack(std::int64_t image, std::int64_t panel, std::int32_t* to) const {
    const std::int64_t group = image % sizes_.groups;
    const std::int64_t channels = sizes_.channels_in / sizes_.groups;
    const std::uint8_t* from =
        x_ + (image / sizes_.groups * sizes_.channels_in + group * channels) * volume(sizes_.in);
    const std::int64_t columns = columns_of(panel);
    pack_int8_windows(sizes_, from, fill_, desc_, panel * cut_.width, columns,
                      stored_columns(tile_, columns), to);
  }

  void multiply(std::int64_t image, std::int64_t panel, const std::int32_t* words,
                std::int64_t row_begin, std::int64_t row_end) const {
    const std::int64_t group = image % sizes_.groups;
    Int8PackedProduct all = product(group);
    const std::int64_t element_bytes = params_.epilogue.output == EpilogueOutput::int8 ? 1 : 4;
    all.out = y_ + (image / sizes_.groups * sizes_.channels_out + group * group_out_) *
                       cut_.pixels * element_bytes;
    const GroupTieResolver tie_resolver(tie_resolver_, image / sizes_.groups, group * group_out_,
                                        params_.epilogue.offsets);
    if (params_.floats != nullptr) all.ties = &tie_resolver;
    const std::int64_t columns = columns_of(panel);
    const Int8Panel columns_panel{words, stored_columns(tile_, columns), panel * cut_.width,
                                  columns};
    if (params_.weight_zeros == nullptr)
      return multiply_int8_panel(all, row_begin, row_end, columns_panel, {});
    alignas(64) std::int32_t sums[max_columns];
    sum_columns(columns_panel, sums);
    const ZeroPointTerm outer{params_.weight_zeros + group * group_out_, sums};
    multiply_int8_panel(all, row_begin, row_end, columns_panel, {&outer, 1});
  }

 private:
  std::int64_t columns_of(std::int64_t panel) const {
    return std::min(cut_.width, cut_.pixels - panel * cut_.width);
  }

  /// Subtracts each window's sum, which accounts for the zero points of the weights.
  void sum_columns(const Int8Panel& panel, std::int32_t* sums) const {
    Int8Tile tile = {};
    tile.a = weights_ + sizes_.channels_out * cut_.steps;
    if (tile_.multiplies_signed) tile.starts = starts() + sizes_.channels_out;
    tile.b = panel.words;
    tile.b_stride = panel.stored;
    tile.steps = cut_.steps;
    tile.c = sums;
    tile.c_stride = max_columns;
    tile.rows = 1;
    tile.vectors = static_cast<std::int32_t>(panel.stored / tile_.lanes);
    tile_.signed_rows(tile);
    for (std::int64_t i = 0; i < panel.count; ++i)
      sums[i] = static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(sums[i]));
  }

  /// Of each output channel and of the ones, behind their words.
  const std::int32_t* starts() const { return weights_ + (sizes_.channels_out + 1) * cut_.steps; }

  Int8PackedProduct product(std::int64_t group) const {
    const std::int64_t row = group * group_out_;
    Int8PackedProduct result;
    result.tile = &tile_;
    result.functions.rows = &functions_;
    result.steps = cut_.steps;
    result.rows = group_out_;
    result.a = weights_ + row * cut_.steps;
    if (tile_.multiplies_signed) result.starts = starts() + row;
    result.epilogue = params_.epilogue;
    result.epilogue.channels = ChannelAxis::rows;
    result.epilogue.offsets += row;
    if (result.epilogue.scales != nullptr) result.epilogue.scales += row;
    result.out_stride = cut_.pixels;
    return result;
  }

  const ConvSizes& sizes_;
  const std::uint8_t* x_;
  const Int8GemmFunctions& tile_;
  const QuantizeFunctions& functions_;
  Int8PackDesc desc_;
  std::uint8_t fill_;  ///< a byte of the image that stands for padding
  const std::int32_t* weights_;
  const Int8ConvParams& params_;
  std::byte* y_;
  PanelPartition cut_;
  PackedInt8WeightReader weight_reader_;
  RoundingTieResolver tie_resolver_;
  std::int64_t group_out_;
};

}  // namespace

std::int64_t int8_im2col_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  const PanelPartition cut = cut_panels(sizes, int8_gemm_functions(isa));
  return cut.panel_bytes * (cut.shares ? cut.panels : std::max(threads, 1));
}

void int8_conv_im2col(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
                      const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
                      void* workspace, Workers& workers) {
  const ColumnConv conv(sizes, x, desc, packed, params, y, isa);
  const PanelPartition& cut = conv.cut();
  const std::int64_t rows = conv.row_panels();
  if (!cut.shares) {
    const std::int64_t grain = std::max<std::int64_t>(1, task_products / conv.products_of_panel());
    WorkspaceSlots slots(workspace, cut.panel_bytes, workers.count());
    workers.parallel_ranges(
        cut.images * cut.panels, grain, [&](std::int64_t begin, std::int64_t end) {
          const WorkspaceSlots::Lease lease(slots);
          auto* words = reinterpret_cast<std::int32_t*>(lease.data());
          for (std::int64_t index = begin; index < end; ++index) {
            conv.pack(index / cut.panels, index % cut.panels, words);
            conv.multiply(index / cut.panels, index % cut.panels, words, 0, rows);
          }
        });
    return;
  }
  const auto words_of = [&](std::int64_t panel) {
    return reinterpret_cast<std::int32_t*>(static_cast<std::byte*>(workspace) +
                                           panel * cut.panel_bytes);
  };
  const std::int64_t products = conv.products_of_panel();
  const std::int64_t pieces = std::clamp<std::int64_t>(products / task_products, 1, rows);
  const std::int64_t piece = (rows + pieces - 1) / pieces;
  for (std::int64_t image = 0; image < cut.images; ++image) {
    workers.parallel_for(cut.panels,
                         [&](std::int64_t panel) { conv.pack(image, panel, words_of(panel)); });
    workers.parallel_for(cut.panels * pieces, [&](std::int64_t task) {
      const std::int64_t begin = task % pieces * piece;
      const std::int64_t end = std::min(begin + piece, rows);
      if (begin < end) conv.multiply(image, task / pieces, words_of(task / pieces), begin, end);
    });
  }
}

}  // namespace ortool::cpu
