// Kernel for TfIdfVectorizer: maps elements to numbers of the pool, then counts n-grams.
#include "libcore/ops/text/tf_idf_vectorizer.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/ml/ngram_counts.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/label_table.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

class NgramVectorizer {
 public:
  explicit NgramVectorizer(TfIdfVectorizer op) : op_(std::move(op)), elements_(op_.pool) {
    std::vector<std::int64_t> pool;
    for (std::int64_t i = 0; i < op_.pool.element_count(); ++i)
      pool.push_back(number_of(op_.pool, i));
    std::int64_t gram = 0;
    for (std::size_t i = 0; i < op_.begins.size(); ++i) {
      const auto length = static_cast<std::int64_t>(i) + 1;
      const auto pool_size = static_cast<std::int64_t>(pool.size());
      const std::int64_t end = i + 1 < op_.begins.size() ? op_.begins[i + 1] : pool_size;
      for (std::int64_t at = op_.begins[i]; at < end; at += length, ++gram) {
        if (length < op_.shortest || length > op_.longest) continue;
        tree_.add({pool.begin() + at, pool.begin() + at + length}, gram);
      }
    }
    tree_.finish();
  }

  std::int64_t column_count() const { return op_.column_count; }

  /// The number of element `index` in the pool, or -1 if it is not there.
  std::int64_t number_of(const Tensor& tensor, std::int64_t index) const {
    if (tensor.type() == DataType::string)
      return elements_.find(tensor.strings()[static_cast<std::size_t>(index)]);
    return number_of(element_as_int64(tensor, index));
  }
  std::int64_t number_of(std::int64_t element) const {
    return elements_.find(LabelTable::key_of(element));
  }

  /// out[rows, columns] from numbers[rows, size].
  void vectorize(const std::int64_t* numbers, std::int64_t rows, std::int64_t size, float* out,
                 Workers& workers) const {
    const NgramTrie::Counting counting = {op_.shortest, op_.longest, op_.max_skipped};
    const std::int64_t columns = op_.column_count;
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, size));
    workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(out + begin * columns, out + end * columns, 0.0F);
      for (std::int64_t row = begin; row < end; ++row) {
        float* counts = out + row * columns;
        tree_.count(numbers + row * size, size, counting, [&](std::int64_t gram) {
          const auto index = static_cast<std::size_t>(gram);
          float& count = counts[op_.columns[index]];
          const bool has_weight = op_.mode != TfIdfVectorizer::Mode::counts && !op_.weights.empty();
          const float weight = has_weight ? op_.weights[index] : 1.0F;
          count = op_.mode == TfIdfVectorizer::Mode::weights ? weight : count + weight;
        });
      }
    });
  }

 private:
  TfIdfVectorizer op_;
  LabelTable elements_;
  NgramTrie tree_;
};

/// Number of rows, and elements per row.
std::pair<std::int64_t, std::int64_t> row_sizes(const Shape& shape) {
  return {shape.rank() == 2 ? shape[0] : 1, shape[shape.rank() - 1]};
}

KernelPtr make_string_vectorizer(const KernelRow& row,
                                 std::shared_ptr<const NgramVectorizer> vectorizer) {
  return make_dynamic_kernel(row.name, [vectorizer](DynamicContext& context) {
    const Tensor& x = context.input(0);
    const auto [rows, size] = row_sizes(x.shape());
    Tensor numbers = context.make(DataType::int64, x.shape());
    std::int64_t* number = numbers.mutable_data<std::int64_t>().data();
    for (std::int64_t i = 0; i < x.element_count(); ++i) number[i] = vectorizer->number_of(x, i);
    std::vector<std::int64_t> shape(x.shape().begin(), x.shape().end());
    shape.back() = vectorizer->column_count();
    Tensor out = context.make(DataType::float32, Shape(std::move(shape)));
    vectorizer->vectorize(number, rows, size, out.mutable_data<float>().data(), context.workers());
    context.set_output(0, std::move(out));
  });
}

KernelPtr compile_tf_idf_vectorizer(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  const auto vectorizer =
      std::make_shared<const NgramVectorizer>(read_op<TfIdfVectorizer>(view.node()));
  if (view.input_type(0) == DataType::string) return make_string_vectorizer(row, vectorizer);
  return make_kernel(row.name, [vectorizer](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const bool is_wide = context.inputs[0].type == DataType::int64;
    const std::int64_t count = shape.element_count();
    return make_prepared({.workspace_bytes = multiply_sizes(count, sizeof(std::int64_t))},
                         [=, sizes = row_sizes(shape)](const RunContext& run) {
                           auto* numbers = run.workspace<std::int64_t>();
                           for (std::int64_t i = 0; i < count; ++i) {
                             numbers[i] = vectorizer->number_of(
                                 is_wide ? run.input<std::int64_t>(0)[i]
                                         : std::int64_t{run.input<std::int32_t>(0)[i]});
                           }
                           vectorizer->vectorize(numbers, sizes.first, sizes.second,
                                                 run.output<float>(0), run.workers());
                         });
  });
}

constexpr auto tf_idf_vectorizer_rows =
    portable_row("tf_idf_vectorizer", "TfIdfVectorizer", "int32, int64, string", accepts_anything,
                 compile_tf_idf_vectorizer);

}  // namespace

std::span<const KernelRow> tf_idf_vectorizer_kernels() {
  return tf_idf_vectorizer_rows;
}

}  // namespace ortool::cpu
