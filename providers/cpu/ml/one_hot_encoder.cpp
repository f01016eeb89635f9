// Kernels for OneHotEncoder and ArrayFeatureExtractor.
#include "libcore/ops/ml/one_hot_encoder.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/data_movement/gather.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/counted_texts.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/label_table.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

struct Categories {
  LabelTable table;
  std::int64_t count;
  bool takes_unknown;
};

/// Writes a row of out[elements, categories] per element; `find` returns its category or -1.
template <typename Find>
void encode_one_hot(const Categories& categories, std::int64_t elements, float* out,
                    Workers& workers, Find find) {
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / categories.count);
  workers.parallel_ranges(elements, grain, [&](std::int64_t begin, std::int64_t end) {
    std::fill(out + begin * categories.count, out + end * categories.count, 0.0F);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t category = find(i);
      if (category >= 0) {
        out[i * categories.count + category] = 1;
      } else if (!categories.takes_unknown) {
        throw Error(ErrorCode::invalid,
                    format("element {} is in none of the {} categories", i, categories.count));
      }
    }
  });
}

KernelPtr make_string_one_hot(const KernelRow& row, std::shared_ptr<const Categories> categories) {
  return make_dynamic_kernel(row.name, [categories](DynamicContext& context) {
    const std::span<const std::string> elements = context.input(0).strings();
    const Operand output = context.output_operands()[0];
    Tensor out = context.make(output.type, output.shape);
    encode_one_hot(*categories, static_cast<std::int64_t>(elements.size()),
                   out.mutable_data<float>().data(), context.workers(), [&](std::int64_t i) {
                     return categories->table.find(elements[static_cast<std::size_t>(i)]);
                   });
    context.set_output(0, std::move(out));
  });
}

KernelPtr compile_one_hot_encoder(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto op = read_op<OneHotEncoder>(view.node());
  const auto categories = std::make_shared<const Categories>(
      Categories{LabelTable(op.categories), op.categories.element_count(), op.takes_unknown});
  if (op.categories.type() == DataType::string) return make_string_one_hot(row, categories);
  return make_kernel(row.name, [categories](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return dispatch_data_type(context.inputs[0].type, [&](auto number) {
      using T = decltype(number);
      return make_prepared({}, [=](const RunContext& run) {
        const T* elements = run.input<T>(0);
        encode_one_hot(*categories, count, run.output<float>(0), run.workers(),
                       [&](std::int64_t i) {
                         const auto key = convert_number<std::int64_t>(elements[i]);
                         return categories->table.find(LabelTable::key_of(key));
                       });
      });
    });
  });
}

void extract_strings(DynamicContext& context) {
  const Tensor& x = context.input(0);
  const std::span<const std::string> strings = x.strings();
  const std::span<const std::int64_t> indices = context.input(1).data<std::int64_t>();
  const Operand output = context.output_operands()[0];
  Tensor out = context.make(output.type, output.shape);
  const std::span<std::string> picked = out.mutable_strings();
  const std::int64_t features = x.shape()[x.shape().rank() - 1];
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const std::size_t at = i % indices.size();
    const auto row = static_cast<std::int64_t>(i / indices.size());
    const std::int64_t feature =
        checked_index(indices[at], features, static_cast<std::int64_t>(at));
    picked[i] = strings[static_cast<std::size_t>(row * features + feature)];
  }
  context.set_output(0, with_counted_texts(std::move(out), context.cap()));
}

KernelPtr compile_feature_extractor(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  if (view.input_type(0) == DataType::string) return make_dynamic_kernel(row.name, extract_strings);
  return make_kernel(row.name, [](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const std::int64_t last = shape.rank() - 1;
    const GatherSizes sizes = {shape.product(0, last), shape[last], 1};
    const std::int64_t bytes = element_bits(context.inputs[0].type) / 8;
    const auto count = static_cast<std::size_t>(context.inputs[1].shape.element_count());
    return make_prepared({}, [=](const RunContext& run) {
      gather<std::int64_t>(run.input<std::byte>(0), std::span(run.input<std::int64_t>(1), count),
                           run.output<std::byte>(0), sizes, bytes, run.workers());
    });
  });
}

constexpr const char* extracted_type_names = "float32, float64, int32, int64, string";

constexpr auto one_hot_encoder_rows =
    join_rows(portable_row("array_feature_extractor", "ArrayFeatureExtractor", extracted_type_names,
                           accepts_anything, compile_feature_extractor, ml_domain),
              portable_row("one_hot_encoder", "OneHotEncoder", extracted_type_names,
                           accepts_anything, compile_one_hot_encoder, ml_domain));

}  // namespace

std::span<const KernelRow> one_hot_encoder_kernels() {
  return one_hot_encoder_rows;
}

}  // namespace ortool::cpu
