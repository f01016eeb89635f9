// Dense NCHWc convolution of some rows and channels: the part of a task.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cpu/conv/f32_nchwc/algorithms.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"

namespace ortool::cpu {

/// Parameters shared by all tasks. A pointwise convolution with stride 1 treats the image as one
/// long row.
struct NchwcDensePlan {
  NchwcDensePlan(const ConvSizes& sizes, NchwcConvAlgorithm path, const NchwcFunctions& functions);

  /// Limits the rows of padded input that are copied at a time.
  void limit_copied_rows(const ConvSizes& sizes, std::int64_t most);
  /// Depends on the problem size only, not on the number of threads.
  SpatialPartition cut(const ConvSizes& sizes) const;

  std::int64_t lanes;
  bool is_plain;
  bool is_long;
  std::int64_t pixel_floats;
  std::int64_t planes;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t groups;  ///< pairs of output-channel blocks
  std::int64_t depth;
  std::int64_t span = 0;  ///< input columns covered by the windows of a row
  bool is_copied = false;
  std::int64_t chunk_planes = 1;
  std::int64_t chunk_rows = 1;
  std::int64_t chunk_columns = 1;
  std::int64_t buffer_rows = 0;
  std::int64_t buffer_bytes = 0;
  std::int64_t unit_columns = 1;  ///< partition granularity of the one long row
};

/// Where results of a dense convolution are stored: a whole image, or some rows of some channels.
struct NchwcResultRows {
  float* base;
  std::int64_t first_group;   ///< at the base
  std::int64_t first_pixel;   ///< at the base
  std::int64_t block_floats;  ///< between blocks of channels
};

class NchwcDenseTask {
 public:
  /// `buffer` has plan.buffer_bytes.
  NchwcDenseTask(const ConvSizes& sizes, const NchwcDensePlan& plan,
                 const NchwcConvOperands& operands, const NchwcFunctions& functions,
                 std::int64_t image, float* buffer);

  /// Computes a range of rows (of units of columns for the one long row) and groups of output
  /// channels into y.
  void run(const PartitionTile& piece) const;
  /// Computes rows of the image and groups of output channels.
  void run_rows(std::int64_t row_begin, std::int64_t row_end, std::int64_t group_begin,
                std::int64_t group_end, const NchwcResultRows& to) const;

 private:
  /// A range of output rows or, within the one long row, of columns.
  struct Part {
    std::int64_t row_begin;
    std::int64_t row_end;
    std::int64_t column_begin;
    std::int64_t column_end;
  };

  /// The input of a part: the image itself, or a padded copy of some of its rows.
  struct Source {
    const float* base;       ///< of the first plane
    std::int64_t first_row;  ///< image row at the base
    std::int64_t columns;    ///< pixels per row
    std::int64_t rows;       ///< rows per plane
    std::int64_t pad;        ///< zero columns to the left of the image
  };
  /// A range of input planes and the corresponding weights.
  struct Planes {
    std::int64_t begin;
    std::int64_t end;
    const float* weights;
    std::int64_t numbers;  ///< length of the reduction (k)
    const float* ahead;    ///< next weights, to be prefetched
    std::int64_t ahead_step;
  };

  void run_columns(std::int64_t begin, std::int64_t end, std::int64_t group_begin,
                   std::int64_t group_end, const NchwcResultRows& to) const;
  void run_groups(const Source& source, const Part& part, std::int64_t group_begin,
                  std::int64_t group_end, const NchwcResultRows& to) const;
  Source copied_rows(std::int64_t begin, std::int64_t end) const;
  void run_row(const Source& source, std::int64_t row, const Part& part, std::int64_t group,
               const Planes& planes, std::int64_t tiles_before, const NchwcResultRows& to) const;
  std::int64_t set_runs(std::int64_t begin, std::int64_t most, NchwcTile& tile) const;
  void set_sections(const Planes& planes, NchwcTile& tile) const;

  const ConvSizes& sizes_;
  const NchwcDensePlan& plan_;
  const NchwcConvOperands& operands_;
  const NchwcFunctions& functions_;
  std::int64_t image_;
  float* buffer_;
  const float* x_;
};

}  // namespace ortool::cpu
