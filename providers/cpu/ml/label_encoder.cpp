// Kernels for LabelEncoder and CategoryMapper: table lookups from labels to labels.
#include "libcore/ops/ml/label_encoder.hpp"

#include <cstring>
#include <memory>
#include <optional>

#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/ml/category_mapper.hpp"
#include "libcore/tensor/counted_texts.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/label_table.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t label_grain = 2048;

/// Keys and the values they map to.
struct LabelMapping {
  LabelTable keys;
  Tensor values;         ///< aligned, as many as keys
  Tensor default_value;  ///< one element, aligned

  LabelMapping(const Tensor& all_keys, const Tensor& all_values, const Tensor& if_missing)
      : keys(all_keys), values(all_values.aligned()), default_value(if_missing.aligned()) {}
};

/// Calls body(i, position of element i among the keys or -1) for each element of `in`.
template <typename Body>
void look_up(const LabelTable& keys, DataType type, const std::byte* in, std::int64_t count,
             Workers& workers, Body body) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_arithmetic_v<T>) {
      const auto* elements = reinterpret_cast<const T*>(in);
      workers.parallel_ranges(count, label_grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          body(i, keys.find(LabelTable::key_of(elements[i])));
      });
    }
  });
}

template <typename Body>
void look_up(const LabelTable& keys, const Tensor& in, Workers& workers, Body body) {
  if (in.type() != DataType::string)
    return look_up(keys, in.type(), in.bytes(), in.element_count(), workers, body);
  const std::span<const std::string> elements = in.strings();
  workers.parallel_ranges(in.element_count(), label_grain, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i)
      body(i, keys.find(elements[static_cast<std::size_t>(i)]));
  });
}

/// Writes element `position` of the numeric values, or the default for -1.
auto write_number(const LabelMapping& mapping, std::byte* out) {
  const std::int64_t size = element_bits(mapping.values.type()) / 8;
  return [=, values = mapping.values.bytes(), other = mapping.default_value.bytes()](
             std::int64_t i, std::int64_t position) {
    std::memcpy(out + i * size, position < 0 ? other : values + position * size,
                static_cast<std::size_t>(size));
  };
}

Tensor map_labels(const LabelMapping& mapping, const Tensor& in, const DynamicContext& context) {
  Tensor out = context.make(mapping.values.type(), in.shape());
  if (out.type() != DataType::string) {
    look_up(mapping.keys, in, context.workers(), write_number(mapping, out.mutable_bytes()));
    return out;
  }
  const std::span<std::string> strings = out.mutable_strings();
  look_up(mapping.keys, in, context.workers(), [&](std::int64_t i, std::int64_t position) {
    strings[static_cast<std::size_t>(i)] =
        position < 0 ? mapping.default_value.strings()[0]
                     : mapping.values.strings()[static_cast<std::size_t>(position)];
  });
  return with_counted_texts(std::move(out), context.cap());
}

/// Dynamic if inputs or outputs are strings.
KernelPtr make_label_kernel(const KernelRow& row, std::shared_ptr<const LabelMapping> mapping,
                            DataType input) {
  if (input == DataType::string || mapping->values.type() == DataType::string) {
    return make_dynamic_kernel(row.name, [mapping](DynamicContext& context) {
      context.set_output(0, map_labels(*mapping, context.input(0), context));
    });
  }
  return make_kernel(row.name, [mapping, input](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [=](const RunContext& run) {
      look_up(mapping->keys, input, run.input<std::byte>(0), count, run.workers(),
              write_number(*mapping, run.output<std::byte>(0)));
    });
  });
}

KernelPtr compile_label_encoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<LabelEncoder>(view.node());
  const DataType input = view.input_type(0);
  const bool is_backward = op.works_both_ways && input == DataType::string;
  return make_label_kernel(
      row,
      is_backward
          ? std::make_shared<const LabelMapping>(op.values, op.keys, Tensor::scalar(op.default_key))
          : std::make_shared<const LabelMapping>(op.keys, op.values, op.default_value),
      input);
}

KernelPtr compile_category_mapper(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto op = read_op<CategoryMapper>(view.node());
  const auto count = static_cast<std::int64_t>(op.integers.size());
  const Tensor integers = Tensor::of<std::int64_t>({count}, op.integers);
  const Tensor strings = Tensor::of_strings({count}, op.strings);
  const DataType input = view.input_type(0);
  return make_label_kernel(
      row,
      input == DataType::string
          ? std::make_shared<const LabelMapping>(strings, integers,
                                                 Tensor::scalar(op.default_integer))
          : std::make_shared<const LabelMapping>(integers, strings,
                                                 Tensor::of_strings({}, {op.default_string})),
      input);
}

constexpr auto label_encoder_rows = join_rows(
    portable_row("category_mapper", "CategoryMapper", "int64, string", accepts_anything,
                 compile_category_mapper, ml_domain),
    portable_row("label_encoder", "LabelEncoder", "float32, float64, int16, int32, int64, string",
                 accepts_anything, compile_label_encoder, ml_domain));

}  // namespace

std::span<const KernelRow> label_encoder_kernels() {
  return label_encoder_rows;
}

}  // namespace ortool::cpu
