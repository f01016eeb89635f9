// Versions and shape rule of the global pools.
#include "libcore/ops/nn/pooling/global_pool.hpp"

#include "libcore/ops/nn/normalization/norm_order.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema GlobalAveragePool::schema = {"GlobalAveragePool",
                                                      "",
                                                      {{.since = 1,
                                                        .inputs = {{"X", "T"}},
                                                        .outputs = {{"Y", "T"}},
                                                        .types = {{"T", types::high_floats}}},
                                                       {.since = 22,
                                                        .inputs = {{"X", "T"}},
                                                        .outputs = {{"Y", "T"}},
                                                        .types = {{"T", types::floats}}}}};

constinit const OpSchema GlobalMaxPool::schema = {"GlobalMaxPool",
                                                  "",
                                                  {{.since = 1,
                                                    .inputs = {{"X", "T"}},
                                                    .outputs = {{"Y", "T"}},
                                                    .types = {{"T", types::high_floats}}},
                                                   {.since = 22,
                                                    .inputs = {{"X", "T"}},
                                                    .outputs = {{"Y", "T"}},
                                                    .types = {{"T", types::floats}}}}};

constinit const OpSchema GlobalLpPool::schema = {
    "GlobalLpPool",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"p", AttributeKind::float_number, false, 2.0F}},
      .types = {{"T", types::high_floats}}},
     {.since = 2,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"p", AttributeKind::integer, false, 2}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"p", AttributeKind::integer, false, 2}},
      .types = {{"T", types::floats}}}}};

void GlobalPool::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 3);
  PartialShape shape = context.shape(0);
  for (std::size_t axis = 2; shape && axis < shape->size(); ++axis) (*shape)[axis] = 1;
  context.set_output(0, context.element(0), std::move(shape));
}

void GlobalLpPool::read(AttributeReader& attributes, int version) {
  p = read_norm_order(attributes, version);
}

}  // namespace ortool
