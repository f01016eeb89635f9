// Shape rule of Det: removes the two innermost axes, which must be equally long.
#include "libcore/ops/math/det.hpp"

#include <utility>

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Det::schema = {"Det",
                                        "",
                                        {{.since = 11,
                                          .inputs = {{"X", "T"}},
                                          .outputs = {{"Y", "T"}},
                                          .types = {{"T", types::high_floats}}},
                                         {.since = 22,
                                          .inputs = {{"X", "T"}},
                                          .outputs = {{"Y", "T"}},
                                          .types = {{"T", types::floats}}}}};

void Det::read(AttributeReader&, int) {}

void Det::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 2);
  PartialShape shape = context.shape(0);
  if (shape) {
    const std::size_t rank = shape->size();
    check_dimension("the width of a matrix", (*shape)[rank - 1], (*shape)[rank - 2]);
    shape->resize(rank - 2);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
