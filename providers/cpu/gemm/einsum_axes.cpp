// Einsum axes: letters are labeled by their code; ellipsis axes are counted from the last.
#include "providers/cpu/gemm/einsum_axes.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr int last_ellipsis_label = 1000;

/// The labels of a term for an operand of `rank`, one per axis.
std::vector<int> labels_of(const EinsumTerm& term, std::int64_t rank) {
  std::vector<int> labels(term.letters.begin(), term.letters.end());
  if (term.ellipsis < 0) return labels;
  const auto hidden = static_cast<int>(rank) - static_cast<int>(labels.size());
  std::vector<int> own;
  for (int i = 0; i < hidden; ++i) own.push_back(last_ellipsis_label - hidden + 1 + i);
  labels.insert(labels.begin() + term.ellipsis, own.begin(), own.end());
  return labels;
}

void add_axis(EinsumAxes& axes, const EinsumAxis& axis) {
  if (axis.size == 1) return;
  const auto same = [&](const EinsumAxis& each) { return each.label == axis.label; };
  const auto found = std::find_if(axes.begin(), axes.end(), same);
  if (found == axes.end()) {
    axes.push_back(axis);
  } else {
    ORTOOL_CHECK(found->size == axis.size);
    found->stride += axis.stride;
  }
}

}  // namespace

const EinsumAxis* find_axis(const EinsumAxes& axes, int label) {
  for (const EinsumAxis& axis : axes) {
    if (axis.label == label) return &axis;
  }
  return nullptr;
}

std::int64_t count_elements(const EinsumAxes& axes) {
  std::int64_t count = 1;
  for (const EinsumAxis& axis : axes) count = multiply_sizes(count, axis.size);
  return count;
}

bool is_contiguous(const EinsumAxes& axes) {
  std::int64_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride != stride) return false;
    stride *= axes[i].size;
  }
  return true;
}

EinsumLayout lay_out_einsum(const Einsum& op, std::span<const Operand> inputs) {
  EinsumLayout layout;
  std::int64_t ellipsis_rank = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = inputs[i].shape;
    const std::vector<int> labels = labels_of(op.inputs[i], shape.rank());
    ORTOOL_CHECK(static_cast<std::int64_t>(labels.size()) == shape.rank());
    if (op.inputs[i].ellipsis >= 0) {
      ellipsis_rank = std::max(
          ellipsis_rank, shape.rank() - static_cast<std::int64_t>(op.inputs[i].letters.size()));
    }
    EinsumAxes axes;
    for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
      add_axis(axes, {labels[static_cast<std::size_t>(axis)], shape[axis],
                      shape.product(axis + 1, shape.rank())});
    }
    layout.inputs.push_back(std::move(axes));
  }
  layout.output =
      labels_of(op.output, static_cast<std::int64_t>(op.output.letters.size()) + ellipsis_rank);
  return layout;
}

}  // namespace ortool::cpu
