// Einsum steps: each intermediate tensor is contiguous and has its own place in the workspace.
#include "providers/cpu/gemm/einsum_steps.hpp"

#include <algorithm>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/cast.hpp"
#include "kernels/cpu/gemm/reference_gemm.hpp"
#include "kernels/cpu/reduction/reduce.hpp"
#include "providers/cpu/support/reference_types.hpp"

namespace ortool::cpu {
namespace {

DataType computed_type_of(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::int16:
      return DataType::int32;
    case DataType::uint8:
    case DataType::uint16:
      return DataType::uint32;
    default:
      return type;
  }
}

bool has_label(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The axes of these labels, in this order.
EinsumAxes axes_in_order(const EinsumAxes& axes, const std::vector<int>& order) {
  EinsumAxes result;
  for (const int label : order) result.push_back(*find_axis(axes, label));
  return result;
}

EinsumAxes contiguous_axes(EinsumAxes axes) {
  std::int64_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    axes[i].stride = stride;
    stride *= axes[i].size;
  }
  return axes;
}

std::int64_t size_of(const EinsumAxes& axes, const std::vector<int>& labels) {
  return count_elements(axes_in_order(axes, labels));
}

std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

const std::byte* EinsumSteps::Place::read(const RunContext& run) const {
  return kind == Kind::input ? run.input<std::byte>(static_cast<std::size_t>(where)) : write(run);
}

std::byte* EinsumSteps::Place::write(const RunContext& run) const {
  return kind == Kind::output ? run.output<std::byte>(0) : run.workspace() + where;
}

EinsumSteps::EinsumSteps(const Einsum& op, const PrepareContext& context, Isa isa, int max_threads)
    : type_(context.inputs[0].type),
      computed_(computed_type_of(type_)),
      isa_(isa),
      max_threads_(max_threads) {
  EinsumLayout layout = lay_out_einsum(op, context.inputs);
  for (const int label : layout.output) {
    const auto has = [label](const EinsumAxes& axes) { return find_axis(axes, label) != nullptr; };
    if (std::any_of(layout.inputs.begin(), layout.inputs.end(), has)) output_.push_back(label);
  }
  const std::size_t count = layout.inputs.size();
  const auto term_of = [&](std::size_t i) {
    return widen({{Place::Kind::input, static_cast<std::int64_t>(i)}, layout.inputs[i]}, type_);
  };
  Term result = term_of(0);
  if (count == 1) result = summed(result, output_, true);
  for (std::size_t i = 1; i < count; ++i) {
    Labels kept = output_;
    for (std::size_t later = i + 1; later < count; ++later) {
      for (const EinsumAxis& axis : layout.inputs[later]) {
        if (!has_label(kept, axis.label)) kept.push_back(axis.label);
      }
    }
    result = contracted(std::move(result), term_of(i), kept, i + 1 == count);
  }
  finish(result);
}

/// A place for a new tensor with these axes: the output itself if it is the last one and in order.
EinsumSteps::Place EinsumSteps::add_place(const EinsumAxes& axes, bool is_last) {
  const auto same = [](const EinsumAxis& axis, int label) { return axis.label == label; };
  const bool is_output = is_last && computed_ == type_ &&
                         std::equal(axes.begin(), axes.end(), output_.begin(), output_.end(), same);
  if (is_output) return {Place::Kind::output, 0};
  return {Place::Kind::workspace, layout_.add(bytes_of(computed_, count_elements(axes)))};
}

EinsumSteps::Term EinsumSteps::widen(Term term, DataType from) {
  if (from == computed_) return term;
  // The stored range of a diagonal is larger than its number of elements.
  std::int64_t count = 1;
  for (const EinsumAxis& axis : term.axes) count += (axis.size - 1) * axis.stride;
  if (count_elements(term.axes) == 0) count = 0;
  const Place to = {Place::Kind::workspace, layout_.add(bytes_of(computed_, count))};
  steps_.emplace_back([=, in = term.place, computed = computed_](const RunContext& run) {
    cast(from, in.read(run), computed, to.write(run), count, run.workers());
  });
  return {to, std::move(term.axes)};
}

/// Makes the elements contiguous in this order.
EinsumSteps::Term EinsumSteps::packed(const Term& term, const Labels& order) {
  EinsumAxes axes = axes_in_order(term.axes, order);
  if (is_contiguous(axes)) return {term.place, std::move(axes)};
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  for (const EinsumAxis& axis : axes) {
    sizes.push_back(axis.size);
    strides.push_back(axis.stride);
  }
  const Place to = add_place(axes, false);
  steps_.emplace_back(
      [=, in = term.place, bytes = element_bits(computed_) / 8](const RunContext& run) {
        copy_strided(in.read(run), to.write(run), sizes, strides, bytes, run.workers());
      });
  return {to, contiguous_axes(std::move(axes))};
}

/// Sums over all labels that are not kept.
EinsumSteps::Term EinsumSteps::summed(const Term& term, const Labels& kept, bool is_last) {
  Labels own;
  Labels rest;
  for (const int label : kept) {
    if (find_axis(term.axes, label) != nullptr) own.push_back(label);
  }
  for (const EinsumAxis& axis : term.axes) {
    if (!has_label(kept, axis.label)) rest.push_back(axis.label);
  }
  if (rest.empty()) return term;
  const Term from = packed(term, joined(own, rest));
  const std::int64_t shape[] = {size_of(term.axes, own), size_of(term.axes, rest)};
  const std::int64_t axes[] = {1};
  const ReducePlan plan = plan_reduction(shape, axes);
  const std::int64_t space = layout_.add(plan.workspace_bytes());
  EinsumAxes result = contiguous_axes(axes_in_order(term.axes, own));
  const Place to = add_place(result, is_last);
  steps_.emplace_back(
      [=, in = from.place, computed = computed_, isa = isa_](const RunContext& run) {
        reduce(ReduceOp::sum, computed, in.read(run), to.write(run), plan, run.workspace() + space,
               run.workers(), isa);
      });
  return {to, std::move(result)};
}

EinsumSteps::Term EinsumSteps::contracted(Term a, Term b, const Labels& kept, bool is_last) {
  const auto needed_beside = [&](const Term& other) {
    Labels labels = kept;
    for (const EinsumAxis& axis : other.axes) {
      if (!has_label(labels, axis.label)) labels.push_back(axis.label);
    }
    return labels;
  };
  a = summed(a, needed_beside(b), false);
  b = summed(b, needed_beside(a), false);
  Labels batch;
  Labels a_free;
  Labels b_free;
  Labels inner;
  for (const int label : kept) {
    const bool in_a = find_axis(a.axes, label) != nullptr;
    const bool in_b = find_axis(b.axes, label) != nullptr;
    if (in_a || in_b) (in_a && in_b ? batch : in_a ? a_free : b_free).push_back(label);
  }
  for (const EinsumAxis& axis : a.axes) {
    if (!has_label(kept, axis.label)) inner.push_back(axis.label);
  }
  // The operand whose labels come first in the result becomes the left one.
  const auto first = std::find_if(kept.begin(), kept.end(), [&](int label) {
    return has_label(a_free, label) || has_label(b_free, label);
  });
  if (first != kept.end() && has_label(b_free, *first)) {
    std::swap(a, b);
    std::swap(a_free, b_free);
  }
  if (inner.empty()) return multiplied(a, b, batch, a_free, b_free, is_last);
  if (!a_free.empty() || !b_free.empty())
    return matrix_product(a, b, batch, a_free, b_free, inner, is_last);
  const Labels all = joined(batch, inner);
  return summed(multiplied(a, b, all, {}, {}, false), batch, is_last);
}

EinsumSteps::Term EinsumSteps::multiplied(const Term& a, const Term& b, const Labels& batch,
                                          const Labels& a_free, const Labels& b_free,
                                          bool is_last) {
  const Term left = packed(a, joined(batch, a_free));
  const Term right = packed(b, joined(batch, b_free));
  const std::int64_t batches = size_of(left.axes, batch);
  const std::int64_t left_shape[] = {batches, size_of(left.axes, a_free), 1};
  const std::int64_t right_shape[] = {batches, 1, size_of(right.axes, b_free)};
  EinsumAxes axes = left.axes;
  for (const EinsumAxis& axis : axes_in_order(right.axes, b_free)) axes.push_back(axis);
  axes = contiguous_axes(std::move(axes));
  const Place to = add_place(axes, is_last);
  steps_.emplace_back([=, x = left.place, y = right.place, computed = computed_, isa = isa_,
                       plan = make_broadcast_plan(left_shape, right_shape)](const RunContext& run) {
    binary(BinaryOp::multiply, computed, x.read(run), y.read(run), to.write(run), plan,
           run.workers(), isa);
  });
  return {to, std::move(axes)};
}

EinsumSteps::Term EinsumSteps::matrix_product(const Term& a, const Term& b, const Labels& batch,
                                              const Labels& a_free, const Labels& b_free,
                                              const Labels& inner, bool is_last) {
  const auto lies_in = [](const Term& term, const Labels& order) {
    return is_contiguous(axes_in_order(term.axes, order));
  };
  const Labels a_transposed = joined(joined(batch, inner), a_free);
  const Labels b_transposed = joined(joined(batch, b_free), inner);
  const bool transposes_a = lies_in(a, a_transposed);
  const bool transposes_b = lies_in(b, b_transposed);
  const Term left = transposes_a ? a : packed(a, joined(joined(batch, a_free), inner));
  const Term right = transposes_b ? b : packed(b, joined(joined(batch, inner), b_free));
  const GemmSizes sizes = {size_of(a.axes, a_free), size_of(b.axes, b_free),
                           size_of(a.axes, inner)};
  EinsumAxes axes = axes_in_order(a.axes, joined(batch, a_free));
  for (const EinsumAxis& axis : axes_in_order(b.axes, b_free)) axes.push_back(axis);
  axes = contiguous_axes(std::move(axes));
  const Place to = add_place(axes, is_last);
  std::vector<GemmOffsets> offsets(static_cast<std::size_t>(size_of(a.axes, batch)));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    offsets[i] = {at * sizes.m * sizes.k, at * sizes.k * sizes.n, at * sizes.m * sizes.n};
  }
  const std::int64_t a_stride = transposes_a ? sizes.m : sizes.k;
  const std::int64_t b_stride = transposes_b ? sizes.k : sizes.n;
  if (computed_ == DataType::float32) {
    const std::int64_t space = layout_.add(gemm_batched_workspace_bytes(
        static_cast<std::int64_t>(offsets.size()), sizes, isa_, max_threads_));
    steps_.emplace_back([=, x = left.place, y = right.place, isa = isa_,
                         threads = max_threads_](const RunContext& run) {
      SizedWorkers workers(run.workers(), threads);
      gemm_batched(offsets, sizes,
                   {reinterpret_cast<const float*>(x.read(run)), a_stride, transposes_a},
                   {reinterpret_cast<const float*>(y.read(run)), b_stride, transposes_b},
                   reinterpret_cast<float*>(to.write(run)), sizes.n, Epilogue(), isa,
                   run.workspace() + space, workers.get());
    });
  } else {
    steps_.emplace_back(
        [=, x = left.place, y = right.place, computed = computed_](const RunContext& run) {
          with_reference_type(computed, [&](auto number) {
            using T = decltype(number);
            matmul_reference<T>(offsets, sizes,
                                {reinterpret_cast<const T*>(x.read(run)), a_stride, transposes_a},
                                {reinterpret_cast<const T*>(y.read(run)), b_stride, transposes_b},
                                reinterpret_cast<T*>(to.write(run)), run.workers());
          });
        });
  }
  return {to, std::move(axes)};
}

void EinsumSteps::finish(const Term& term) {
  if (term.place.kind == Place::Kind::output) return;
  const Place output = {Place::Kind::output, 0};
  if (computed_ != type_) {
    const Term from = packed(term, output_);
    steps_.emplace_back([=, in = from.place, count = count_elements(from.axes),
                         computed = computed_, type = type_](const RunContext& run) {
      cast(computed, in.read(run), type, output.write(run), count, run.workers());
    });
    return;
  }
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  for (const EinsumAxis& axis : axes_in_order(term.axes, output_)) {
    sizes.push_back(axis.size);
    strides.push_back(axis.stride);
  }
  steps_.emplace_back([=, in = term.place, bytes = element_bits(type_) / 8](const RunContext& run) {
    copy_strided(in.read(run), output.write(run), sizes, strides, bytes, run.workers());
  });
}

}  // namespace ortool::cpu
