// Schema and shape rule of NonZero; the number of positions depends on the elements.
#include "libcore/ops/tensor/indexing/non_zero.hpp"

#include <algorithm>
#include <vector>

#include "libcore/ops/shape_rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

constinit const OpSchema NonZero::schema = {"NonZero",
                                            "",
                                            {{.since = 9,
                                              .inputs = {{"X", "T"}},
                                              .outputs = {{"Y", "tensor(int64)"}},
                                              .types = {{"T", types::all_tensors}}},
                                             {.since = 13,
                                              .inputs = {{"X", "T"}},
                                              .outputs = {{"Y", "tensor(int64)"}},
                                              .types = {{"T", types::all_tensors_and_bfloat16}}}}};

namespace {

constexpr std::int64_t max_counted = std::int64_t{1} << 20;

/// The number of nonzero elements of a small constant.
Dimension count_non_zero(const InferContext& context) {
  const Tensor* value = context.input_value(0);
  if (value == nullptr || !is_arithmetic(value->type()) || value->element_count() > max_counted)
    return {};
  std::vector<double> elements(static_cast<std::size_t>(value->element_count()));
  read_doubles(*value, 0, elements);
  return std::count_if(elements.begin(), elements.end(), [](double each) { return each != 0; });
}

}  // namespace

void NonZero::read(AttributeReader&, int) {}

void NonZero::infer(InferContext& context) const {
  const std::int64_t rank = context.rank(0);
  context.set_output(0, DataType::int64, Dimensions{dimension_of(rank), count_non_zero(context)});
}

}  // namespace ortool
