// Kernels for StringMapping, StringToVector and VectorToString; tables are built once a node.
#include "libcore/ops/contrib/text/string_tables.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

using Vector = std::vector<std::int64_t>;

KernelPtr compile_string_mapping(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  auto table = std::make_shared<std::unordered_map<std::string, std::string>>();
  auto op = read_op<extensions::StringMapping>(view.node());
  for (auto& [text, replacement] : op.entries)
    table->insert_or_assign(std::move(text), std::move(replacement));
  return make_dynamic_kernel(row.name, [table](DynamicContext& context) {
    TextList out(context);
    for (const std::string& text : context.input(0).strings()) {
      const auto found = table->find(text);
      out.add(found == table->end() ? text : found->second);
    }
    context.set_output(0, out.take(context.input(0).shape()));
  });
}

KernelPtr compile_string_to_vector(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  auto table = std::make_shared<std::unordered_map<std::string, Vector>>();
  auto op = read_op<extensions::StringToVector>(view.node());
  for (auto& [text, vector] : op.entries)
    table->insert_or_assign(std::move(text), std::move(vector));
  return make_dynamic_kernel(row.name, [table, unknown = op.unknown](DynamicContext& context) {
    const Tensor& in = context.input(0);
    std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
    shape.push_back(static_cast<std::int64_t>(unknown.size()));
    Tensor out = context.make(DataType::int64, Shape(std::move(shape)));
    std::int64_t* next = out.mutable_data<std::int64_t>().data();
    for (const std::string& text : in.strings()) {
      const auto found = table->find(text);
      const Vector& vector = found == table->end() ? unknown : found->second;
      next = std::copy(vector.begin(), vector.end(), next);
    }
    context.set_output(0, std::move(out));
  });
}

KernelPtr compile_vector_to_string(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  auto table = std::make_shared<std::map<Vector, std::string>>();
  auto op = read_op<extensions::VectorToString>(view.node());
  const std::int64_t size = op.vector_size();
  for (auto& [text, vector] : op.entries)
    table->insert_or_assign(std::move(vector), std::move(text));
  return make_dynamic_kernel(row.name, [table, size,
                                        unknown = op.unknown](DynamicContext& context) {
    const Tensor& in = context.input(0);
    std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
    if (size != 1 || shape.size() > 1) {
      if (shape.empty() || shape.back() != size) {
        throw Error(ErrorCode::invalid,
                    format("'token_ids' has the shape {} (expected vectors of {})",
                           in.shape().to_string(), size));
      }
      shape.pop_back();
    }
    TextList out(context);
    const std::span<const std::int64_t> numbers = in.data<std::int64_t>();
    Vector vector(static_cast<std::size_t>(size));
    for (std::size_t at = 0; at < numbers.size(); at += vector.size()) {
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(at), vector.size(),
                  vector.begin());
      const auto found = table->find(vector);
      out.add(found == table->end() ? unknown : found->second);
    }
    context.set_output(0, out.take(Shape(std::move(shape))));
  });
}

constexpr auto string_tables_rows =
    join_rows(portable_row("string_mapping", "StringMapping", "string", accepts_anything,
                           compile_string_mapping, extensions_domain),
              portable_row("string_to_vector", "StringToVector", "string", accepts_anything,
                           compile_string_to_vector, extensions_domain),
              portable_row("vector_to_string", "VectorToString", "int64", accepts_anything,
                           compile_vector_to_string, extensions_domain));

}  // namespace

std::span<const KernelRow> string_tables_kernels() {
  return string_tables_rows;
}

}  // namespace ortool::cpu
