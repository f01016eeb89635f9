// Which inputs of a layer are large together: sums of products of quantised inputs, exact in
// integers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// What of an input meets all weights at once: the last axis of a product's left operand, or a
/// convolution's window over an input [n, channels, …].
struct InputWindows {
  /// Of a convolution, an entry a spatial axis; all empty for a product.
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< before each axis, then behind each

  bool is_convolution() const { return !kernel.empty(); }
};

/// Sums, over rows of a layer's quantised inputs, of the products of every two of them (levels less
/// the zero point), a matrix for each group and each block of most_columns inputs. Columns are
/// input * taps + tap, as WeightMatrix counts them. Any split of the samples gives the same sums.
class InputMoments {
 public:
  static constexpr std::int64_t most_columns = 512;
  /// Rows taken of one tensor, spread evenly over it; others would tell nearly the same.
  static constexpr std::int64_t most_rows = 128;

  InputMoments(const WeightMatrix& matrix, InputWindows windows, Scale scale,
               QuantizationType type);
  /// What this takes in memory.
  static std::int64_t size_bytes(const WeightMatrix& matrix);

  /// Adds rows of what sample number `sample` computed. A tensor that does not fit adds nothing.
  void add(const Tensor& input, std::int64_t sample);
  void merge(const InputMoments& other);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t block_count() const { return (columns_ + most_columns - 1) / most_columns; }
  std::int64_t block_columns(std::int64_t block) const;
  /// The sums of one block as a full symmetric matrix, row by row.
  std::vector<double> block(std::int64_t group, std::int64_t block) const;

 private:
  struct Image;

  void add_row(std::int64_t group, std::span<const std::int64_t> levels);
  void add_products(const Tensor& input, std::int64_t sample);
  void add_windows(const Tensor& input, std::int64_t sample);
  std::int64_t level_at(const Tensor& input, std::int64_t index) const;

  WeightMatrix matrix_;
  InputWindows windows_;
  Scale scale_;
  Levels levels_;
  std::int64_t columns_;
  std::int64_t rows_ = 0;
  std::vector<std::vector<std::int64_t>> sums_;  ///< group * block_count + block
};

/// A layer whose inputs are to be summed: the value that it reads, how that is quantised, and how
/// the layer reads it.
struct MomentRequest {
  std::string value;
  WeightMatrix matrix;
  InputWindows windows;
  Scale scale;
  QuantizationType type;
};

/// Runs `session` as collect() does and sums the inputs of all layers asked for, in their order.
/// The sums are counted against options.cap; whoever has many layers asks for some at a time.
std::vector<InputMoments> collect_moments(const Session& session,
                                          std::span<const MomentRequest> requests,
                                          FunctionRef<NamedValues(std::int64_t)> sample,
                                          const CollectOptions& options);

}  // namespace ortool
