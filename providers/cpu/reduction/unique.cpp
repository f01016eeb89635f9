// Kernel for Unique: converts elements to keys and finds equal rows of keys.
#include "libcore/ops/tensor/indexing/unique.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "kernels/cpu/reduction/unique.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "kernels/cpu/types/sort_key.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/take_slices.hpp"

namespace ortool::cpu {
namespace {

bool accepts_unique(const NodeView& view) {
  const DataType type = view.input_type(0);
  return is_computable(type) || types::complexes.contains(type) || type == DataType::string;
}

/// Position of the keys of element (outer, axis, inner) of a tensor: rows along the axis.
struct KeyPlaces {
  GatherSizes sizes;
  std::int64_t parts;  ///< keys per element

  std::int64_t width() const { return sizes.outer * sizes.inner * parts; }

  /// Calls store(element, position of its first key) for all elements.
  template <typename Store>
  void visit(Store store) const {
    std::int64_t element = 0;
    for (std::int64_t outer = 0; outer < sizes.outer; ++outer) {
      for (std::int64_t row = 0; row < sizes.axis; ++row) {
        const std::int64_t first = row * width() + outer * sizes.inner * parts;
        for (std::int64_t i = 0; i < sizes.inner; ++i) store(element++, first + i * parts);
      }
    }
  }
};

/// The rank of each string in sorted order.
std::vector<std::uint64_t> ranks_of(std::span<const std::string> texts) {
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> ranks;
  ranks.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), std::string_view(text));
    ranks.push_back(static_cast<std::uint64_t>(found - sorted.begin()));
  }
  return ranks;
}

/// Complex numbers are ordered by their real part, then by the imaginary part.
template <typename Part>
void write_complex_keys(const Tensor& input, const KeyPlaces& places, std::uint64_t* keys) {
  const auto* parts = reinterpret_cast<const Part*>(input.bytes());
  places.visit([&](std::int64_t element, std::int64_t place) {
    keys[place] = sort_key(parts[2 * element]);
    keys[place + 1] = sort_key(parts[2 * element + 1]);
  });
}

void write_keys(const Tensor& input, const KeyPlaces& places, std::uint64_t* keys) {
  if (input.type() == DataType::string) {
    const std::vector<std::uint64_t> ranks = ranks_of(input.strings());
    return places.visit([&](std::int64_t element, std::int64_t place) {
      keys[place] = ranks[static_cast<std::size_t>(element)];
    });
  }
  if (input.type() == DataType::complex64) return write_complex_keys<float>(input, places, keys);
  if (input.type() == DataType::complex128) return write_complex_keys<double>(input, places, keys);
  dispatch_data_type(input.type(), [&](auto number) {
    const auto* elements = reinterpret_cast<const decltype(number)*>(input.bytes());
    places.visit([&](std::int64_t element, std::int64_t place) {
      keys[place] = sort_key(elements[element]);
    });
  });
}

/// Outputs the first `count` of `numbers`, if requested.
void set_numbers(DynamicContext& context, std::size_t index, const Tensor& numbers,
                 std::int64_t count) {
  if (!context.has_output(index)) return;
  Tensor result = context.make(DataType::int64, {count});
  std::copy_n(numbers.data<std::int64_t>().data(), count,
              result.mutable_data<std::int64_t>().data());
  context.set_output(index, std::move(result));
}

void run_unique(const Unique& op, DynamicContext& context) {
  const Tensor& input = context.input(0);
  const Shape& shape = input.shape();
  GatherSizes sizes = {1, input.element_count(), 1};
  const std::int64_t axis = op.axis ? normalize_axis(*op.axis, shape.rank()) : 0;
  if (op.axis) sizes = {shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.rank())};
  const KeyPlaces places = {sizes, types::complexes.contains(input.type()) ? 2 : 1};
  Tensor keys = context.make(DataType::uint64, {sizes.axis, places.width()});
  write_keys(input, places, keys.mutable_data<std::uint64_t>().data());
  Tensor order = context.make(DataType::int64, {sizes.axis});
  Tensor first = context.make(DataType::int64, {sizes.axis});
  Tensor inverse = context.make(DataType::int64, {sizes.axis});
  Tensor counts = context.make(DataType::int64, {sizes.axis});
  const auto numbers = [](Tensor& tensor) { return tensor.mutable_data<std::int64_t>().data(); };
  const std::int64_t distinct = unique_rows(
      keys.data<std::uint64_t>().data(), sizes.axis, places.width(), op.sorted,
      {numbers(order), numbers(first), numbers(inverse), numbers(counts)}, context.workers());
  std::vector<std::int64_t> dimensions = {distinct};
  if (op.axis) {
    dimensions.assign(shape.begin(), shape.end());
    dimensions[static_cast<std::size_t>(axis)] = distinct;
  }
  const auto chosen =
      std::as_const(first).data<std::int64_t>().first(static_cast<std::size_t>(distinct));
  context.set_output(0, take_slices(context, input, chosen, sizes, Shape(std::move(dimensions))));
  set_numbers(context, 1, first, distinct);
  set_numbers(context, 2, inverse, sizes.axis);
  set_numbers(context, 3, counts, distinct);
}

KernelPtr compile_unique(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [op = read_op<Unique>(view.node())](
                                           DynamicContext& context) { run_unique(op, context); });
}

constexpr auto unique_kernel_rows = portable_row(
    "unique", "Unique", "numbers, bool, complex, string", accepts_unique, compile_unique);

}  // namespace

std::span<const KernelRow> unique_kernels() {
  return unique_kernel_rows;
}

}  // namespace ortool::cpu
