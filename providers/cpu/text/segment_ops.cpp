// Kernels for ai.onnx.contrib's operators on ragged tensors, segments and matrices.
#include "libcore/ops/contrib/text/segment_ops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

/// The places at which rows begin, from 0 in ascending order, and the end of the last one.
class RowSplits {
 public:
  RowSplits(const Tensor& splits, std::int64_t most) : splits_(splits.data<std::int64_t>()) {
    if (splits_.empty() || splits_[0] != 0)
      throw Error(ErrorCode::invalid, "the places of rows do not begin with 0");
    for (std::size_t i = 1; i < splits_.size(); ++i) {
      if (splits_[i] >= splits_[i - 1] && splits_[i] <= most) continue;
      throw Error(ErrorCode::invalid, format("row {} ends at {} (expected {} to {})", i - 1,
                                             splits_[i], splits_[i - 1], most));
    }
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(splits_.size()) - 1; }
  std::int64_t begin(std::int64_t row) const { return splits_[static_cast<std::size_t>(row)]; }
  std::int64_t size(std::int64_t row) const { return begin(row + 1) - begin(row); }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (std::int64_t row = 0; row < rows(); ++row) most = std::max(most, size(row));
    return most;
  }
  std::int64_t total() const { return splits_.back(); }

 private:
  std::span<const std::int64_t> splits_;
};

void run_ragged_to_dense(DynamicContext& context) {
  const std::span<const std::int64_t> values = context.input(1).data<std::int64_t>();
  const RowSplits splits(context.input(3), context.input(1).element_count());
  if (context.input(2).element_count() < 1)
    throw Error(ErrorCode::invalid, "'default_value' has no element (expected one)");
  const std::int64_t filling = context.input(2).data<std::int64_t>()[0];
  const std::int64_t columns = splits.longest();
  Tensor out = context.make(DataType::int64, Shape{splits.rows(), columns});
  std::int64_t* dense = out.mutable_data<std::int64_t>().data();
  std::fill_n(dense, out.element_count(), filling);
  for (std::int64_t row = 0; row < splits.rows(); ++row)
    std::copy_n(values.data() + splits.begin(row), splits.size(row), dense + row * columns);
  context.set_output(0, std::move(out));
}

void run_string_ragged_to_dense(DynamicContext& context) {
  const std::span<const std::string> values = context.input(1).strings();
  const bool has_filling = context.input(2).type() == DataType::string;
  const Tensor& places = context.input(has_filling ? 3 : 2);
  const RowSplits splits(places, context.input(1).element_count());
  const std::string filling = has_filling ? single_text(context, 2, "default_value") : "";
  const std::int64_t columns = splits.longest();
  const Shape shape{splits.rows(), columns};
  check_string_room(context, shape.element_count());
  TextList out(context);
  for (std::int64_t row = 0; row < splits.rows(); ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto place = static_cast<std::size_t>(splits.begin(row) + column);
      out.add(column < splits.size(row) ? values[place] : filling);
    }
  }
  context.set_output(0, out.take(shape));
}

void run_ragged_to_sparse(DynamicContext& context) {
  const RowSplits splits(context.input(0), INT64_MAX);
  Tensor indices = context.make(DataType::int64, Shape{splits.total(), 2});
  std::int64_t* next = indices.mutable_data<std::int64_t>().data();
  for (std::int64_t row = 0; row < splits.rows(); ++row) {
    for (std::int64_t column = 0; column < splits.size(row); ++column) {
      *next++ = row;
      *next++ = column;
    }
  }
  context.set_output(0, std::move(indices));
  context.set_output(1, integer_tensor(context, Shape{2}, {splits.rows(), splits.longest()}));
}

void run_segment_sum(DynamicContext& context) {
  const Tensor& data = context.input(0);
  const std::span<const std::int64_t> ids = context.input(1).data<std::int64_t>();
  if (data.shape().rank() < 1 || data.shape()[0] != static_cast<std::int64_t>(ids.size())) {
    throw Error(ErrorCode::invalid, format("'segment_ids' has {} elements for data of the shape {}",
                                           ids.size(), data.shape().to_string()));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t last = i == 0 ? ids[0] : ids[i - 1];
    if (ids[i] >= 0 && (ids[i] == last || ids[i] - 1 == last)) continue;
    throw Error(ErrorCode::invalid, format("segment {} follows segment {} (expected the same one "
                                           "or the next)",
                                           ids[i], last));
  }
  std::vector<std::int64_t> shape(data.shape().begin(), data.shape().end());
  const std::int64_t inner =
      shape[0] == 0 ? 0 : data.element_count() / std::max<std::int64_t>(shape[0], 1);
  shape[0] = ids.empty() ? 0 : ids.back() + 1;
  Tensor out = context.make(DataType::float32, Shape(std::move(shape)));
  float* sums = out.mutable_data<float>().data();
  std::fill_n(sums, out.element_count(), 0.0F);
  const float* slice = data.data<float>().data();
  for (const std::int64_t id : ids) {
    for (std::int64_t i = 0; i < inner; ++i) sums[id * inner + i] += *slice++;
  }
  context.set_output(0, std::move(out));
}

void run_segment_extraction(DynamicContext& context) {
  const std::span<const std::int64_t> numbers = context.input(0).data<std::int64_t>();
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> values;
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[begin]) ++end;
    if (numbers[begin] != 0) {
      places.push_back(static_cast<std::int64_t>(begin));
      places.push_back(static_cast<std::int64_t>(end));
      values.push_back(numbers[begin]);
    }
    begin = end;
  }
  const auto count = static_cast<std::int64_t>(values.size());
  context.set_output(0, integer_tensor(context, Shape{count, 2}, places));
  context.set_output(1, integer_tensor(context, Shape{count}, values));
}

/// Gauss-Jordan elimination with the largest pivot of each column, in double precision; a singular
/// matrix gives infinities and NaN.
void invert(std::int64_t size, const float* x, double* work, float* y) {
  const std::int64_t width = 2 * size;
  for (std::int64_t row = 0; row < size; ++row) {
    for (std::int64_t column = 0; column < size; ++column) {
      work[row * width + column] = static_cast<double>(x[row * size + column]);
      work[row * width + size + column] = row == column ? 1 : 0;
    }
  }
  for (std::int64_t pivot = 0; pivot < size; ++pivot) {
    std::int64_t best = pivot;
    for (std::int64_t row = pivot + 1; row < size; ++row) {
      if (std::abs(work[row * width + pivot]) > std::abs(work[best * width + pivot])) best = row;
    }
    if (best != pivot) {
      std::swap_ranges(work + best * width, work + (best + 1) * width, work + pivot * width);
    }
    const double scale = 1 / work[pivot * width + pivot];
    for (std::int64_t i = 0; i < width; ++i) work[pivot * width + i] *= scale;
    for (std::int64_t row = 0; row < size; ++row) {
      const double factor = work[row * width + pivot];
      if (row == pivot || factor == 0.0) continue;
      for (std::int64_t i = 0; i < width; ++i)
        work[row * width + i] -= factor * work[pivot * width + i];
    }
  }
  for (std::int64_t i = 0; i < size * size; ++i)
    y[i] = static_cast<float>(work[i / size * width + size + i % size]);
}

KernelPtr compile_contrib_inverse(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t size = context.inputs[0].shape[0];
    const std::int64_t bytes = multiply_sizes(multiply_sizes(size, size), 2 * sizeof(double));
    return make_prepared({.workspace_bytes = bytes}, [size](const RunContext& run) {
      invert(size, run.input<float>(0), run.workspace<double>(), run.output<float>(0));
    });
  });
}

KernelPtr compile_neg_pos(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [count](const RunContext& run) {
      const float* x = run.input<float>(0);
      float* neg = run.output<float>(0);
      float* pos = run.output<float>(1);
      for (std::int64_t i = 0; i < count; ++i) {
        const bool is_positive = x[i] > 0.0F;
        if (neg != nullptr) neg[i] = is_positive ? 0.0F : x[i];
        if (pos != nullptr) pos[i] = is_positive ? x[i] : 0.0F;
      }
    });
  });
}

template <void (*run)(DynamicContext&)>
KernelPtr compile_segment_op(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) { run(context); });
}

constexpr auto segment_ops_rows = join_rows(
    portable_row("contrib_inverse", "Inverse", "float32", accepts_anything, compile_contrib_inverse,
                 extensions_domain),
    portable_row("neg_pos", "NegPos", "float32", accepts_anything, compile_neg_pos,
                 extensions_domain),
    portable_row("ragged_to_dense", "RaggedTensorToDense", "int64", accepts_anything,
                 compile_segment_op<run_ragged_to_dense>, extensions_domain),
    portable_row("ragged_to_sparse", "RaggedTensorToSparse", "int64", accepts_anything,
                 compile_segment_op<run_ragged_to_sparse>, extensions_domain),
    portable_row("segment_extraction", "SegmentExtraction", "int64", accepts_anything,
                 compile_segment_op<run_segment_extraction>, extensions_domain),
    portable_row("segment_sum", "SegmentSum", "float32", accepts_anything,
                 compile_segment_op<run_segment_sum>, extensions_domain),
    portable_row("string_ragged_to_dense", "StringRaggedTensorToDense", "string", accepts_anything,
                 compile_segment_op<run_string_ragged_to_dense>, extensions_domain));

}  // namespace

std::span<const KernelRow> segment_ops_kernels() {
  return segment_ops_rows;
}

}  // namespace ortool::cpu
