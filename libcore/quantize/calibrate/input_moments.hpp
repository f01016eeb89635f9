// Second moments of layer inputs: X^T X of quantized inputs, exact sums of integers.
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

/// How an input is multiplied by the weights: along the last axis of a MatMul's left operand, or in
/// a convolution's window over an input [n, channels, …].
struct InputWindows {
  /// For a convolution, one entry per spatial axis; all empty for a matrix product.
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< leading pads of all axes, then trailing ones

  bool is_convolution() const { return !kernel.empty(); }
};

/// Sums over the rows of a layer's quantized inputs (zero point subtracted) of all pairwise
/// products: one matrix for each group and block of max_columns inputs. Columns are numbered input
/// * taps + tap, as in WeightMatrix. Any split of the samples gives the same sums.
class InputMoments {
 public:
  static constexpr std::int64_t max_columns = 512;
  /// The maximum number of rows sampled from one tensor, evenly spread; more add little
  /// information.
  static constexpr std::int64_t max_rows = 128;
  /// Fewer rows wait for those of later tensors: every addition passes through all sums.
  static constexpr std::int64_t min_rows_at_once = 64;

  InputMoments(const WeightMatrix& matrix, InputWindows windows, Scale scale,
               QuantizationType type);
  /// The memory that the sums take.
  static std::int64_t size_bytes(const WeightMatrix& matrix);

  /// Adds rows of the tensor that sample `sample` computed. A tensor of unexpected shape is
  /// ignored.
  void add(const Tensor& input, std::int64_t sample);
  void merge(const InputMoments& other);
  /// Adds rows that wait for others, since adding few at a time takes long; readers see them anyway.
  void flush();

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t block_count() const { return (columns_ + max_columns - 1) / max_columns; }
  std::int64_t block_columns(std::int64_t block) const;
  /// The sums of one block as a full symmetric matrix in row-major order.
  std::vector<double> block(std::int64_t group, std::int64_t block) const;

 private:
  struct Image;

  /// Rows of all columns of a group; few rows wait for others.
  void take_rows(std::int64_t group, std::span<const float> numbers);
  void add_rows(std::int64_t group, std::span<const float> numbers);
  InputMoments flushed() const;
  void add_products(const Tensor& input, std::int64_t sample);
  void add_windows(const Tensor& input, std::int64_t sample);

  WeightMatrix matrix_;
  InputWindows windows_;
  Scale scale_;
  CodeRange code_range_;
  std::int64_t columns_;
  std::int64_t rows_ = 0;
  std::vector<std::vector<double>> sums_;  ///< index: group * block_count + block
  std::vector<float> waiting_;             ///< rows that are not in the sums yet
};

/// A layer whose input moments are to be collected: the value it reads, how that value is
/// quantized, and how the layer reads it.
struct MomentRequest {
  std::string value;
  WeightMatrix matrix;
  InputWindows windows;
  Scale scale;
  QuantizationType type;
};

/// Runs `session` as collect() does and accumulates the input moments of all requested layers, in
/// the order of the requests. The sums count against options.cap; callers with many layers request
/// some at a time.
std::vector<InputMoments> collect_moments(const Session& session,
                                          std::span<const MomentRequest> requests,
                                          FunctionRef<NamedValues(std::int64_t)> sample,
                                          const CollectOptions& options);

}  // namespace ortool
