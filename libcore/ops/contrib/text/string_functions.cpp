// Schemas and shapes of the string functions of ai.onnx.contrib.
#include "libcore/ops/contrib/text/string_functions.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool::extensions {

constexpr std::initializer_list<Formal> one_text_input = {{"input", "tensor(string)"}};
constexpr std::initializer_list<Formal> two_text_inputs = {{"left", "tensor(string)"},
                                                           {"right", "tensor(string)"}};
constexpr std::initializer_list<Formal> text_output = {{"output", "tensor(string)"}};
constexpr std::initializer_list<Formal> hash_inputs = {{"input", "tensor(string)"},
                                                       {"num_buckets", "tensor(int64)"}};
constexpr std::initializer_list<Formal> integer_output = {{"output", "tensor(int64)"}};

constinit const OpSchema StringLower::schema = {
    "StringLower",
    extensions_domain,
    {{.since = 1, .inputs = one_text_input, .outputs = text_output}}};

constinit const OpSchema StringUpper::schema = {
    "StringUpper",
    extensions_domain,
    {{.since = 1, .inputs = one_text_input, .outputs = text_output}}};

constinit const OpSchema StringStrip::schema = {
    "StringStrip",
    extensions_domain,
    {{.since = 1, .inputs = one_text_input, .outputs = text_output}}};

constinit const OpSchema StringLength::schema = {
    "StringLength",
    extensions_domain,
    {{.since = 1, .inputs = one_text_input, .outputs = integer_output}}};

constinit const OpSchema StringConcat::schema = {
    "StringConcat",
    extensions_domain,
    {{.since = 1, .inputs = two_text_inputs, .outputs = text_output}}};

constinit const OpSchema StringEqual::schema = {
    "StringEqual",
    extensions_domain,
    {{.since = 1, .inputs = two_text_inputs, .outputs = {{"output", "tensor(bool)"}}}}};

constinit const OpSchema StringJoin::schema = {"StringJoin",
                                               extensions_domain,
                                               {{.since = 1,
                                                 .inputs = {{"input", "tensor(string)"},
                                                            {"separator", "tensor(string)"},
                                                            {"axis", "tensor(int64)"}},
                                                 .outputs = text_output}}};

constinit const OpSchema StringSplit::schema = {"StringSplit",
                                                extensions_domain,
                                                {{.since = 1,
                                                  .inputs = {{"input", "tensor(string)"},
                                                             {"delimiter", "tensor(string)"},
                                                             {"skip_empty", "tensor(bool)"}},
                                                  .outputs = {{"indices", "tensor(int64)"},
                                                              {"values", "tensor(string)"},
                                                              {"shape", "tensor(int64)"}}}}};

constinit const OpSchema StringToHashBucket::schema = {
    "StringToHashBucket",
    extensions_domain,
    {{.since = 1, .inputs = hash_inputs, .outputs = integer_output}}};

constinit const OpSchema StringToHashBucketFast::schema = {
    "StringToHashBucketFast",
    extensions_domain,
    {{.since = 1, .inputs = hash_inputs, .outputs = integer_output}}};

constinit const OpSchema MaskedFill::schema = {
    "MaskedFill",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"value", "tensor(string)"}, {"mask", "tensor(bool)"}},
      .outputs = text_output}}};

void StringLower::infer(InferContext& context) const {
  context.set_output(0, DataType::string, context.shape(0));
}

void StringUpper::infer(InferContext& context) const {
  context.set_output(0, DataType::string, context.shape(0));
}

void StringStrip::infer(InferContext& context) const {
  context.set_output(0, DataType::string, context.shape(0));
}

void StringLength::infer(InferContext& context) const {
  context.set_output(0, DataType::int64, context.shape(0));
}

void StringConcat::infer(InferContext& context) const {
  const PartialShape left = context.shape(0);
  const PartialShape right = context.shape(1);
  if (left && right && left->size() != right->size()) {
    throw Error(ErrorCode::invalid,
                format("'left' has the shape {}, but 'right' {} (expected the same shape)",
                       to_string(left), to_string(right)));
  }
  for (std::size_t i = 0; left && right && i < left->size(); ++i)
    check_dimension("an axis of 'right'", (*right)[i], (*left)[i]);
  context.set_output(0, DataType::string, merge_shapes(left, right));
}

void StringEqual::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, broadcast_inputs(context, 0, 2));
}

void StringJoin::infer(InferContext& context) const {
  check_single(context, 1, "separator");
  const std::optional<std::int64_t> axis = single_integer(context, 2, "axis");
  PartialShape shape = context.shape(0);
  if (shape && shape->size() <= 1) {
    shape = Dimensions{1};
  } else if (shape && axis) {
    if (*axis < 0 || *axis >= static_cast<std::int64_t>(shape->size())) {
      throw Error(ErrorCode::invalid, format("the axis is {} (expected 0 to {})", *axis,
                                             static_cast<std::int64_t>(shape->size()) - 1));
    }
    shape->erase(shape->begin() + *axis);
  } else if (shape) {
    shape = Dimensions(shape->size() - 1);
  }
  context.set_output(0, DataType::string, std::move(shape));
}

void StringSplit::infer(InferContext& context) const {
  check_rank(context, 0, "input", 1);
  check_single(context, 1, "delimiter");
  check_single(context, 2, "skip_empty");
  const Dimension pieces = context.unknown_dimension();
  context.set_output(0, DataType::int64, Dimensions{pieces, 2});
  context.set_output(1, DataType::string, Dimensions{pieces});
  context.set_output(2, DataType::int64, Dimensions{2});
}

void StringToHashBucket::infer(InferContext& context) const {
  check_single(context, 1, "num_buckets");
  context.set_output(0, DataType::int64, context.shape(0));
}

void StringToHashBucketFast::infer(InferContext& context) const {
  check_single(context, 1, "num_buckets");
  context.set_output(0, DataType::int64, context.shape(0));
}

void MaskedFill::infer(InferContext& context) const {
  const std::int64_t rank = context.rank(0);
  if (rank > 1) {
    throw Error(ErrorCode::invalid, format("'value' has the shape {} (expected a row or a scalar)",
                                           to_string(context.shape(0))));
  }
  if (rank >= 0) check_rank(context, 1, "mask", rank);
  if (rank == 1)
    check_dimension("the length of 'mask'", dimension_at(context, 1, 0), dimension_at(context, 0, 0));
  context.set_output(0, DataType::string, Dimensions{context.unknown_dimension()});
}

}  // namespace ortool::extensions
