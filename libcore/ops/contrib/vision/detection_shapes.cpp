// Checks that boxes and scores of detections belong together.
#include "libcore/ops/contrib/vision/detection_shapes.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

void check_detection_operands(const InferContext& context) {
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && rank != 3 && rank != 4) {
    throw Error(ErrorCode::invalid,
                format("'boxes' has the shape {} (expected [N, B, 4] or [N, B, C, 4])",
                       to_string(context.shape(0))));
  }
  check_rank(context, 1, "scores", 3);
  check_dimension("the batch of 'scores'", dimension_at(context, 1, 0),
                  dimension_at(context, 0, 0));
  check_dimension("the number of boxes with scores", dimension_at(context, 1, 1),
                  dimension_at(context, 0, 1));
  if (rank < 0) return;
  check_dimension("the length of a box", dimension_at(context, 0, rank - 1), 4);
  const Dimension classes = rank == 4 ? dimension_at(context, 0, 2) : Dimension(1);
  if (classes.is_known() && classes != Dimension(1)) {
    check_dimension("the number of classes with boxes", classes, dimension_at(context, 1, 2));
  }
}

}  // namespace ortool
