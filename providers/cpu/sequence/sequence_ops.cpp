// Kernels for operators that create, read and modify sequences.
#include "libcore/ops/sequence/sequence_ops.hpp"

#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"

namespace ortool::cpu {
namespace {

/// Input `index` as a position in [0, limit); negative values count from `size`.
std::size_t sequence_position(const DynamicContext& context, std::size_t index, std::int64_t size,
                              std::int64_t limit) {
  const Tensor& tensor = context.input(index);
  if (tensor.element_count() != 1) {
    throw Error(ErrorCode::invalid, format("the position has the shape {} (expected one element)",
                                           tensor.shape().to_string()));
  }
  const std::int64_t position = element_as_int64(tensor, 0);
  if (position < -size || position >= limit) {
    throw Error(ErrorCode::invalid,
                format("the position is {} in a sequence of {} (expected {} to {})", position, size,
                       -size, limit - 1),
                "check the input that gives the position");
  }
  return static_cast<std::size_t>(position < 0 ? position + size : position);
}

std::int64_t sequence_length(const DynamicContext& context) {
  return static_cast<std::int64_t>(context.value(0).elements().size());
}

/// Copies the elements of input 0, with capacity for one more.
std::vector<RunValue> copied_elements(const DynamicContext& context) {
  const std::span<const RunValue> elements = context.value(0).elements();
  check_element_room(context, sequence_length(context) + 1);
  std::vector<RunValue> copies;
  copies.reserve(elements.size() + 1);
  for (const RunValue& element : elements) copies.push_back(element.owned(context.cap()));
  return copies;
}

void run_sequence_construct(DynamicContext& context) {
  std::vector<RunValue> elements;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    elements.emplace_back(context.input(i).owned(context.cap()));
  context.set_output(0, RunValue::sequence(std::move(elements)));
}

void run_sequence_empty(DynamicContext& context) {
  context.set_output(0, RunValue::sequence({}));
}

void run_sequence_at(DynamicContext& context) {
  const std::int64_t size = sequence_length(context);
  const std::size_t position = sequence_position(context, 1, size, size);
  context.set_output(0, context.value(0).elements()[position].owned(context.cap()));
}

void run_sequence_erase(DynamicContext& context) {
  const std::int64_t size = sequence_length(context);
  if (size == 0) throw Error(ErrorCode::invalid, "cannot erase an element from an empty sequence");
  const std::size_t position = context.has_input(1) ? sequence_position(context, 1, size, size)
                                                    : static_cast<std::size_t>(size - 1);
  std::vector<RunValue> elements = copied_elements(context);
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(position));
  context.set_output(0, RunValue::sequence(std::move(elements)));
}

void run_sequence_insert(DynamicContext& context) {
  const std::int64_t size = sequence_length(context);
  const std::size_t position = context.has_input(2) ? sequence_position(context, 2, size, size + 1)
                                                    : static_cast<std::size_t>(size);
  const Tensor& tensor = context.input(1);
  std::vector<RunValue> elements = copied_elements(context);
  if (!elements.empty() && elements[0].tensor().type() != tensor.type()) {
    throw Error(ErrorCode::invalid,
                format("the tensor is {}, but the sequence contains {}", name_of(tensor.type()),
                       name_of(elements[0].tensor().type())));
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(position),
                  tensor.owned(context.cap()));
  context.set_output(0, RunValue::sequence(std::move(elements)));
}

void run_sequence_length(DynamicContext& context) {
  context.set_output(0, Tensor::scalar(sequence_length(context)));
}

template <void (*run)(DynamicContext&)>
KernelPtr compile_sequence_op(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, run);
}

constexpr const char* sequence_type_names = "sequences of tensors";

constexpr auto sequence_ops_rows =
    join_rows(portable_row("sequence_at", "SequenceAt", sequence_type_names, accepts_anything,
                           compile_sequence_op<run_sequence_at>),
              portable_row("sequence_construct", "SequenceConstruct", sequence_type_names,
                           accepts_anything, compile_sequence_op<run_sequence_construct>),
              portable_row("sequence_empty", "SequenceEmpty", sequence_type_names, accepts_anything,
                           compile_sequence_op<run_sequence_empty>),
              portable_row("sequence_erase", "SequenceErase", sequence_type_names, accepts_anything,
                           compile_sequence_op<run_sequence_erase>),
              portable_row("sequence_insert", "SequenceInsert", sequence_type_names,
                           accepts_anything, compile_sequence_op<run_sequence_insert>),
              portable_row("sequence_length", "SequenceLength", sequence_type_names,
                           accepts_anything, compile_sequence_op<run_sequence_length>));

}  // namespace

std::span<const KernelRow> sequence_ops_kernels() {
  return sequence_ops_rows;
}

}  // namespace ortool::cpu
