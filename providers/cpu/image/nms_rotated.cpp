// Kernel for MMDeploy's NMSRotated, whose number of results depends on the data.
#include "libcore/ops/contrib/vision/nms_rotated.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cpu/image/rotated_overlap.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// The kept boxes of a class, the best first.
std::vector<std::int64_t> kept_boxes(const NmsRotated& op, std::int64_t count, const float* boxes,
                                     const float* scores, const Workers& workers) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < count; ++i) {
    if (scores[i] > op.score_threshold) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](auto a, auto b) { return scores[a] > scores[b]; });
  std::vector<std::int64_t> kept;
  for (const std::int64_t candidate : order) {
    workers.poll();
    const bool is_dropped = std::ranges::any_of(kept, [&](std::int64_t better) {
      return rotated_overlap(boxes + better * 5, boxes + candidate * 5) > op.iou_threshold;
    });
    if (!is_dropped) kept.push_back(candidate);
  }
  return kept;
}

KernelPtr compile_nms_rotated(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<NmsRotated>(view.node())](DynamicContext& context) {
        const Shape& shape = context.input(1).shape();
        const std::int64_t classes = shape[1];
        const std::int64_t count = shape[2];
        const float* boxes = context.input(0).data<float>().data();
        const float* scores = context.input(1).data<float>().data();
        std::vector<std::vector<std::int64_t>> kept(static_cast<std::size_t>(shape[0] * classes));
        context.workers().parallel_for(shape[0] * classes, [&](std::int64_t task) {
          kept[static_cast<std::size_t>(task)] =
              kept_boxes(op, count, boxes + task / classes * count * 5, scores + task * count,
                         context.workers());
        });
        std::int64_t rows = 0;
        for (const auto& of_class : kept) rows += static_cast<std::int64_t>(of_class.size());
        Tensor out = context.make(DataType::int64, {rows, 3});
        std::int64_t* next = out.mutable_data<std::int64_t>().data();
        for (std::size_t task = 0; task < kept.size(); ++task) {
          for (const std::int64_t box : kept[task]) {
            *next++ = static_cast<std::int64_t>(task) / classes;
            *next++ = static_cast<std::int64_t>(task) % classes;
            *next++ = box;
          }
        }
        context.set_output(0, std::move(out));
      });
}

constexpr auto nms_rotated_rows = portable_row(
    "nms_rotated", "NMSRotated", "float32", accepts_anything, compile_nms_rotated, mmdeploy_domain);

}  // namespace

std::span<const KernelRow> nms_rotated_kernels() {
  return nms_rotated_rows;
}

}  // namespace ortool::cpu
