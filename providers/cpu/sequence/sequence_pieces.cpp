// Kernels for ConcatFromSequence and SplitToSequence.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/sequence/concat_from_sequence.hpp"
#include "libcore/ops/sequence/split_to_sequence.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/counted_texts.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"

namespace ortool::cpu {
namespace {

/// Start of a block of elements in each of `outer` rows with stride `stride` in elements.
struct BlockRows {
  std::int64_t first = 0;
  std::int64_t stride = 0;
};

/// Copies `count` elements of each row, strings or others.
void copy_blocks(const Tensor& from, BlockRows from_rows, Tensor& to, BlockRows to_rows,
                 std::int64_t outer, std::int64_t count) {
  if (count == 0) return;
  if (from.type() == DataType::string) {
    for (std::int64_t row = 0; row < outer; ++row) {
      const auto source = from.strings().begin() + from_rows.first + row * from_rows.stride;
      std::copy(source, source + count,
                to.mutable_strings().begin() + to_rows.first + row * to_rows.stride);
    }
    return;
  }
  const std::int64_t size = element_bits(from.type()) / 8;
  std::byte* bytes = to.mutable_bytes();
  for (std::int64_t row = 0; row < outer; ++row) {
    std::memcpy(bytes + (to_rows.first + row * to_rows.stride) * size,
                from.bytes() + (from_rows.first + row * from_rows.stride) * size,
                static_cast<std::size_t>(count * size));
  }
}

[[noreturn]] void refuse_element(const Tensor& found, const Tensor& expected) {
  throw Error(ErrorCode::invalid,
              format("the sequence contains {}[{}] and {}[{}], which cannot be concatenated",
                     name_of(found.type()), found.shape().to_string(), name_of(expected.type()),
                     expected.shape().to_string()));
}

/// The shape of all elements joined; sizes along `axis` may differ, unless it is a new axis.
Shape joined_shape(std::span<const RunValue> elements, std::int64_t axis, bool is_new_axis) {
  const Tensor& first = elements[0].tensor();
  std::vector<std::int64_t> shape(first.shape().begin(), first.shape().end());
  if (is_new_axis) shape.insert(shape.begin() + axis, 1);
  std::int64_t along = 0;
  for (const RunValue& element : elements) {
    const Tensor& tensor = element.tensor();
    if (tensor.type() != first.type() || tensor.shape().rank() != first.shape().rank())
      refuse_element(tensor, first);
    for (std::int64_t i = 0; i < first.shape().rank(); ++i) {
      if (tensor.shape()[i] != first.shape()[i] && (is_new_axis || i != axis))
        refuse_element(tensor, first);
    }
    along = along + (is_new_axis ? 1 : tensor.shape()[axis]);
  }
  shape[static_cast<std::size_t>(axis)] = along;
  return Shape(std::move(shape));
}

void run_concat_from_sequence(const ConcatFromSequence& op, DynamicContext& context) {
  const std::span<const RunValue> elements = context.value(0).elements();
  if (elements.empty()) {
    throw Error(ErrorCode::invalid, "the sequence is empty (expected at least one tensor)");
  }
  const Tensor& first = elements[0].tensor();
  const std::int64_t rank = first.shape().rank() + (op.is_new_axis ? 1 : 0);
  const std::int64_t axis = normalize_axis(op.axis, rank);
  const Shape shape = joined_shape(elements, axis, op.is_new_axis);
  if (first.type() == DataType::string) {
    std::int64_t bytes = 0;
    for (const RunValue& element : elements) bytes += bytes_of_texts(element.tensor().strings());
    check_room(context, bytes, "joined strings");
    check_string_room(context, shape.element_count());
  }
  Tensor out = context.make(first.type(), shape);
  const std::int64_t outer = shape.product(0, axis);
  BlockRows rows = {0, shape.product(axis, rank)};
  for (const RunValue& element : elements) {
    const Tensor& tensor = element.tensor();
    const std::int64_t count = outer == 0 ? 0 : tensor.element_count() / outer;
    copy_blocks(tensor, {0, count}, out, rows, outer, count);
    rows.first += count;
  }
  context.set_output(0, with_counted_texts(std::move(out), context.cap()));
}

/// The size of each part of an axis of size `whole`.
std::vector<std::int64_t> piece_sizes(const DynamicContext& context, std::int64_t whole) {
  const bool is_given = context.has_input(1);
  if (!is_given || context.input(1).shape().rank() == 0) {
    const std::int64_t size = is_given ? element_as_int64(context.input(1), 0) : 1;
    if (size < 1) {
      throw Error(ErrorCode::invalid, format("a part has size {} (expected at least 1)", size));
    }
    const std::int64_t count = whole / size + (whole % size != 0 ? 1 : 0);
    check_element_room(context, count);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), size);
    if (whole % size != 0) sizes.back() = whole % size;
    return sizes;
  }
  const Tensor& split = context.input(1);
  if (split.shape().rank() != 1) {
    throw Error(ErrorCode::invalid, format("split has the shape {} (expected a number or a vector)",
                                           split.shape().to_string()));
  }
  check_element_room(context, split.element_count());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(split.element_count()));
  read_integers(split, 0, sizes);
  std::int64_t left = whole;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > left) {
      throw Error(ErrorCode::invalid,
                  format("a part has size {}, but {} of {} elements are left", size, left, whole));
    }
    left -= size;
  }
  if (left != 0) {
    throw Error(ErrorCode::invalid,
                format("the axis has {} elements, of which the parts leave {}", whole, left));
  }
  return sizes;
}

void run_split_to_sequence(const SplitToSequence& op, DynamicContext& context) {
  const Tensor& in = context.input(0);
  const std::int64_t rank = in.shape().rank();
  const std::int64_t axis = normalize_axis(op.axis, rank);
  const std::int64_t whole = in.shape()[axis];
  const std::int64_t outer = in.shape().product(0, axis);
  const std::int64_t inner = in.shape().product(axis + 1, rank);
  const bool drops_axis = !op.keeps_axis && !context.has_input(1);
  std::vector<RunValue> pieces;
  std::int64_t begin = 0;
  for (const std::int64_t size : piece_sizes(context, whole)) {
    std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
    shape[static_cast<std::size_t>(axis)] = size;
    if (drops_axis) shape.erase(shape.begin() + axis);
    Tensor piece = context.make(in.type(), Shape(std::move(shape)));
    copy_blocks(in, {begin * inner, whole * inner}, piece, {0, size * inner}, outer, size * inner);
    pieces.emplace_back(std::move(piece));
    begin += size;
  }
  context.set_output(0, RunValue::sequence(std::move(pieces)));
}

template <typename Op, void (*run)(const Op&, DynamicContext&)>
KernelPtr compile_pieces_op(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<Op>(view.node())](DynamicContext& context) { run(op, context); });
}

constexpr auto sequence_pieces_rows = join_rows(
    portable_row("concat_from_sequence", "ConcatFromSequence", "sequences of tensors",
                 accepts_anything, compile_pieces_op<ConcatFromSequence, run_concat_from_sequence>),
    portable_row("split_to_sequence", "SplitToSequence", "all tensors", accepts_anything,
                 compile_pieces_op<SplitToSequence, run_split_to_sequence>));

}  // namespace

std::span<const KernelRow> sequence_pieces_kernels() {
  return sequence_pieces_rows;
}

}  // namespace ortool::cpu
