// Versions of Unique; the number of distinct elements depends on the data.
#include "libcore/ops/tensor/indexing/unique.hpp"

#include <utility>

#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> unique_outputs = {
    {"Y", "T"},
    {"indices", "tensor(int64)", Formal::Count::optional},
    {"inverse_indices", "tensor(int64)", Formal::Count::optional},
    {"counts", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> unique_attributes = {
    {"axis", AttributeKind::integer}, {"sorted", AttributeKind::integer, false, 1}};

constinit const OpSchema Unique::schema = {"Unique",
                                           "",
                                           {{.since = 11,
                                             .inputs = {{"X", "T"}},
                                             .outputs = unique_outputs,
                                             .attributes = unique_attributes,
                                             .types = {{"T", types::all_tensors}}},
                                            {.since = 28,
                                             .inputs = {{"X", "T"}},
                                             .outputs = unique_outputs,
                                             .attributes = unique_attributes,
                                             .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Unique::read(AttributeReader& attributes, int) {
  axis = attributes.find_integer("axis");
  sorted = attributes.flag("sorted", true);
}

void Unique::infer(InferContext& context) const {
  const PartialShape input = context.shape(0);
  PartialShape values;
  Dimension count;
  if (!axis) {
    values = Dimensions(1);
    if (input) count = product(*input);
  } else if (input) {
    const auto along = static_cast<std::size_t>(normalize_axis(*axis, context.rank(0)));
    values = input;
    count = (*input)[along];
    (*values)[along] = Dimension();
  }
  context.set_output(0, context.element(0), std::move(values));
  context.set_output(1, DataType::int64, Dimensions(1));
  context.set_output(2, DataType::int64, Dimensions{count});
  context.set_output(3, DataType::int64, Dimensions(1));
}

}  // namespace ortool
