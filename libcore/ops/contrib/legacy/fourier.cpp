// Schemas and shapes of Rfft, Irfft, ComplexMul and ComplexMulConj.
#include "libcore/ops/contrib/legacy/fourier.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema Rfft::schema = {
    "Rfft",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"normalized", AttributeKind::integer, false, 0},
                     {"onesided", AttributeKind::integer, false, 1},
                     {"signal_ndim", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema Irfft::schema = {
    "Irfft",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"normalized", AttributeKind::integer, false, 0},
                     {"onesided", AttributeKind::integer, false, 1},
                     {"signal_ndim", AttributeKind::integer, true}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ComplexMul::schema = {"ComplexMul",
                                               contrib_domain,
                                               {{.since = 1,
                                                 .inputs = {{"A", "T"}, {"B", "T"}},
                                                 .outputs = {{"C", "T"}},
                                                 .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ComplexMulConj::schema = {"ComplexMulConj",
                                                   contrib_domain,
                                                   {{.since = 1,
                                                     .inputs = {{"A", "T"}, {"B", "T"}},
                                                     .outputs = {{"C", "T"}},
                                                     .types = {{"T", types::high_floats}}}}};

void Rfft::read(AttributeReader& attributes, int) {
  static_cast<void>(attributes.integer_in("normalized", 0, 0, 0));
  static_cast<void>(attributes.integer_in("onesided", 1, 1, 1));
  signal_axes = attributes.integer_in("signal_ndim", 1, 1, 3);
}

void Rfft::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", signal_axes);
  PartialShape shape = context.shape(0);
  if (shape) {
    shape->back() = floor_divide(shape->back(), 2) + 1;
    shape->emplace_back(2);
    check_output_rank(shape->size());
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void Irfft::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", signal_axes + 1);
  PartialShape shape = context.shape(0);
  if (shape) {
    check_dimension("the last dimension of 'X'", shape->back(), 2);
    shape->pop_back();
    if (shape->back().is_known() && shape->back().number() < 2) {
      throw Error(ErrorCode::invalid,
                  format("the spectrum has {} bins (expected at least 2)", shape->back().number()));
    }
    shape->back() = (shape->back() - 1) * 2;
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void ComplexMul::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "A", 1);
  check_rank_at_least(context, 1, "B", 1);
  for (const std::int64_t input : {0, 1}) {
    const std::int64_t rank = context.rank(input);
    if (rank > 0) check_dimension("the last dimension", dimension_at(context, input, rank - 1), 2);
  }
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

}  // namespace ortool
