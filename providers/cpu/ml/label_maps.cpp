// Kernels for the map operators ZipMap, DictVectorizer and CastMap.
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/ml/cast_map.hpp"
#include "libcore/ops/ml/dict_vectorizer.hpp"
#include "libcore/ops/ml/zip_map.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/ml/label_table.hpp"
#include "providers/cpu/ml/ml_operand.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_zip_map(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [labels = read_op<ZipMap>(view.node()).labels](DynamicContext& context) {
        const Tensor& x = context.input(0);
        const ExampleSizes sizes(x.shape());
        if (sizes.features != labels.element_count()) {
          throw Error(ErrorCode::invalid, format("there are {} columns for {} labels",
                                                 sizes.features, labels.element_count()));
        }
        const float* from = x.data<float>().data();
        std::vector<RunValue> maps;
        for (std::int64_t i = 0; i < sizes.rows; ++i) {
          Tensor values = context.make(DataType::float32, {sizes.features});
          std::copy(from + i * sizes.features, from + (i + 1) * sizes.features,
                    values.mutable_data<float>().data());
          maps.push_back(RunValue::map(labels, std::move(values)));
        }
        context.set_output(0, RunValue::sequence(std::move(maps)));
      });
}

/// Calls body(i, position of the map's key i in the table or -1).
template <typename Body>
void for_each_key(const LabelTable& table, const Tensor& keys, Body body) {
  const auto count = static_cast<std::size_t>(keys.element_count());
  for (std::size_t i = 0; i < count; ++i) {
    body(i, keys.type() == DataType::string
                ? table.find(keys.strings()[i])
                : table.find(LabelTable::key_of(keys.data<std::int64_t>()[i])));
  }
}

KernelPtr compile_dict_vectorizer(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const Tensor vocabulary = read_op<DictVectorizer>(view.node()).vocabulary;
  const auto table = std::make_shared<const LabelTable>(vocabulary);
  return make_dynamic_kernel(
      row.name,
      [=, type = vocabulary.type(), columns = vocabulary.element_count()](DynamicContext& context) {
        const RunValue& map = context.value(0);
        if (map.keys().type() != type) {
          throw Error(ErrorCode::invalid, format("the keys of the map are {} (expected {})",
                                                 name_of(map.keys().type()), name_of(type)));
        }
        const Tensor& values = map.map_values();
        Tensor out = context.make(values.type(), {1, columns});
        if (values.type() == DataType::string) {
          for_each_key(*table, map.keys(), [&](std::size_t i, std::int64_t at) {
            if (at >= 0) out.mutable_strings()[static_cast<std::size_t>(at)] = values.strings()[i];
          });
        } else {
          const auto size = static_cast<std::size_t>(element_bits(values.type()) / 8);
          std::fill_n(out.mutable_bytes(), out.size_bytes(), std::byte{0});
          for_each_key(*table, map.keys(), [&](std::size_t i, std::int64_t at) {
            if (at < 0) return;
            std::copy_n(values.bytes() + i * size, size,
                        out.mutable_bytes() + static_cast<std::size_t>(at) * size);
          });
        }
        context.set_output(0, std::move(out));
      });
}

template <typename T>
T number_in(const std::string& text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw Error(ErrorCode::invalid, format("the map contains {} (expected a number)", quote(text)));
  }
  return value;
}

/// Formats with six decimals.
std::string text_of(float number) {
  char digits[64];
  char* const end =
      std::to_chars(digits, digits + sizeof(digits), number, std::chars_format::fixed, 6).ptr;
  return std::string(digits, end);
}

/// Converts element `from` of the map's values to element `to` of the row.
void cast_element(const Tensor& values, std::size_t from, Tensor& row, std::size_t to) {
  const bool is_text = values.type() == DataType::string;
  const float number = is_text ? 0 : values.data<float>()[from];
  switch (row.type()) {
    case DataType::float32:
      row.mutable_data<float>()[to] = is_text ? number_in<float>(values.strings()[from]) : number;
      return;
    case DataType::int64:
      row.mutable_data<std::int64_t>()[to] = is_text
                                                 ? number_in<std::int64_t>(values.strings()[from])
                                                 : convert_number<std::int64_t>(number);
      return;
    default:
      row.mutable_strings()[to] = is_text ? values.strings()[from] : text_of(number);
  }
}

void run_cast_map(const CastMap& op, DynamicContext& context) {
  const Tensor& keys = context.value(0).keys();
  const Tensor& values = context.value(0).map_values();
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (const std::int64_t key : keys.data<std::int64_t>()) order.emplace_back(key, order.size());
  std::sort(order.begin(), order.end());
  if (op.is_sparse && !order.empty() && order.front().first < 0) {
    throw Error(ErrorCode::invalid,
                format("the map has the key {} (expected 0 or more)", order.front().first));
  }
  const std::int64_t columns = op.is_sparse ? op.size : keys.element_count();
  Tensor row = context.make(op.to, {1, columns});
  if (op.is_sparse && op.to == DataType::string) {
    // What other runtimes write for missing strings.
    for (std::string& text : row.mutable_strings()) text = "0.f";
  } else if (op.is_sparse) {
    std::fill_n(row.mutable_bytes(), row.size_bytes(), std::byte{0});
  }
  std::size_t column = 0;
  for (const auto& [key, position] : order) {
    if (op.is_sparse) column = static_cast<std::size_t>(key);
    if (column < static_cast<std::size_t>(columns)) cast_element(values, position, row, column);
    ++column;
  }
  context.set_output(0, std::move(row));
}

KernelPtr compile_cast_map(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [op = read_op<CastMap>(view.node())](
                                           DynamicContext& context) { run_cast_map(op, context); });
}

constexpr auto label_maps_rows = join_rows(
    portable_row("cast_map", "CastMap", "maps", accepts_anything, compile_cast_map, ml_domain),
    portable_row("dict_vectorizer", "DictVectorizer", "maps", accepts_anything,
                 compile_dict_vectorizer, ml_domain),
    portable_row("zip_map", "ZipMap", "float32", accepts_anything, compile_zip_map, ml_domain));

}  // namespace

std::span<const KernelRow> label_maps_kernels() {
  return label_maps_rows;
}

}  // namespace ortool::cpu
