// Schema and validation of Imputer: a single replacement value, or one for each feature.
#include "libcore/ops/ml/imputer.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"
#include "libcore/ops/ml/common_types.hpp"
#include "libcore/ops/ml/feature_matrix.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Imputer::schema = {
    "Imputer",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"imputed_value_floats", AttributeKind::floats},
                     {"imputed_value_int64s", AttributeKind::integers},
                     {"replaced_value_float", AttributeKind::float_number, false, 0.0F},
                     {"replaced_value_int64", AttributeKind::integer, false, 0}},
      .types = {{"T", types::ml_numbers}}}}};

void Imputer::read(AttributeReader& attributes, int) {
  numbers = read_floats(attributes, "imputed_value_floats");
  integers = read_integers(attributes, "imputed_value_int64s");
  is_integer = !integers.empty();
  if (numbers.empty() != is_integer) {
    throw Error(ErrorCode::invalid, format("{} of imputed_value_floats and imputed_value_int64s "
                                           "are given (expected one)",
                                           is_integer ? "both" : "none"));
  }
  replaced_number = attributes.number("replaced_value_float");
  replaced_integer = attributes.integer("replaced_value_int64");
}

void Imputer::infer(InferContext& context) const {
  const DataType element = context.element(0);
  if (element != DataType::undefined && ortool::is_integer(element) != is_integer) {
    throw Error(ErrorCode::invalid,
                format("the input is {}, but {} is given", name_of(element),
                       is_integer ? "imputed_value_int64s" : "imputed_value_floats"));
  }
  const std::size_t count = is_integer ? integers.size() : numbers.size();
  if (count != 1) check_features(context, static_cast<std::int64_t>(count));
  context.set_output(0, element, context.shape(0));
}

}  // namespace ortool
