// Kernel for NonMaxSuppression, whose number of results depends on the data.
#include "kernels/cpu/image/non_max_suppression.hpp"

#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/non_max_suppression.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
std::optional<T> single_number(const DynamicContext& context, std::size_t input) {
  if (!context.has_input(input) || context.input(input).element_count() == 0) return std::nullopt;
  return context.input(input).data<T>()[0];
}

void check_box_shapes(const Shape& boxes, const Shape& scores) {
  const bool fits = boxes.rank() == 3 && scores.rank() == 3 && boxes[2] == 4 &&
                    boxes[0] == scores[0] && boxes[1] == scores[2];
  if (fits) return;
  throw Error(ErrorCode::invalid,
              format("'boxes' has the shape {}, and 'scores' {} (expected [N, B, 4] and [N, C, B])",
                     boxes.to_string(), scores.to_string()));
}

SuppressionRules suppression_rules(const DynamicContext& context, bool center_point_box) {
  SuppressionRules rules;
  rules.center_point_box = center_point_box;
  rules.most = std::max<std::int64_t>(0, single_number<std::int64_t>(context, 2).value_or(0));
  rules.overlap = single_number<float>(context, 3).value_or(0.0F);
  rules.lowest_score = single_number<float>(context, 4);
  if (rules.overlap >= 0.0F && rules.overlap <= 1.0F) return rules;
  throw Error(ErrorCode::invalid, format("'iou_threshold' is {} (expected 0 to 1)", rules.overlap));
}

KernelPtr compile_non_max_suppression(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const bool center = read_op<NonMaxSuppression>(view.node()).center_point_box;
  return make_dynamic_kernel(row.name, [center](DynamicContext& context) {
    check_box_shapes(context.input(0).shape(), context.input(1).shape());
    const SuppressionRules rules = suppression_rules(context, center);
    const Shape& scores = context.input(1).shape();
    const std::int64_t classes = scores[1];
    const std::int64_t boxes = scores[2];
    std::vector<std::vector<std::int64_t>> kept(static_cast<std::size_t>(scores[0] * classes));
    const float* all_boxes = context.input(0).data<float>().data();
    const float* all_scores = context.input(1).data<float>().data();
    if (rules.most > 0) {
      context.workers().parallel_for(scores[0] * classes, [&](std::int64_t task) {
        kept[static_cast<std::size_t>(task)] =
            suppress_overlaps(rules, boxes, all_boxes + task / classes * boxes * 4,
                              all_scores + task * boxes, context.workers());
      });
    }
    std::int64_t count = 0;
    for (const auto& each : kept) count += static_cast<std::int64_t>(each.size());
    Tensor result = context.make(DataType::int64, Shape{count, 3});
    std::int64_t* out = result.mutable_data<std::int64_t>().data();
    for (std::size_t task = 0; task < kept.size(); ++task) {
      for (const std::int64_t box : kept[task]) {
        *out++ = static_cast<std::int64_t>(task) / classes;
        *out++ = static_cast<std::int64_t>(task) % classes;
        *out++ = box;
      }
    }
    context.set_output(0, std::move(result));
  });
}

bool accepts_boxes(const NodeView&) {
  return true;
}

constexpr auto suppression_rows =
    portable_row("non_max_suppression", "NonMaxSuppression", "float32", accepts_boxes,
                 compile_non_max_suppression);

}  // namespace

std::span<const KernelRow> non_max_suppression_kernels() {
  return suppression_rows;
}

}  // namespace ortool::cpu
