// Schemas and shapes of the regular expression operators of ai.onnx.contrib.
#include "libcore/ops/contrib/text/string_regex.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {
namespace {

constexpr std::initializer_list<Formal> replace_inputs = {
    {"text", "tensor(string)"}, {"pattern", "tensor(string)"}, {"rewrite", "tensor(string)"}};
constexpr std::initializer_list<Formal> replace_outputs = {{"output", "tensor(string)"}};
constexpr std::initializer_list<Formal> split_inputs = {
    {"text", "tensor(string)"},
    {"delim_regex_pattern", "tensor(string)"},
    {"keep_delim_regex_pattern", "tensor(string)"}};
constexpr std::initializer_list<Formal> split_outputs = {
    {"words", "tensor(string)"},
    {"begin_offsets", "tensor(int64)"},
    {"end_offsets", "tensor(int64)"},
    {"row_indices", "tensor(int64)", Formal::Count::optional}};

void infer_replaced(InferContext& context) {
  check_single(context, 1, "pattern");
  check_single(context, 2, "rewrite");
  context.set_output(0, DataType::string, context.shape(0));
}

void infer_pieces(InferContext& context) {
  check_single(context, 1, "delim_regex_pattern");
  const Dimension pieces = context.unknown_dimension();
  context.set_output(0, DataType::string, Dimensions{pieces});
  context.set_output(1, DataType::int64, Dimensions{pieces});
  context.set_output(2, DataType::int64, Dimensions{pieces});
  if (context.has_output(3)) context.set_output(3, DataType::int64, Dimensions{Dimension()});
}

}  // namespace

constinit const OpSchema StringRegexReplace::schema = {
    "StringRegexReplace",
    extensions_domain,
    {{.since = 1,
      .inputs = replace_inputs,
      .outputs = replace_outputs,
      .attributes = {{"global_replace", AttributeKind::integer, false, 1}}}}};

constinit const OpSchema StringECMARegexReplace::schema = {
    "StringECMARegexReplace",
    extensions_domain,
    {{.since = 1,
      .inputs = replace_inputs,
      .outputs = replace_outputs,
      .attributes = {{"global_replace", AttributeKind::integer, false, 1},
                     {"ignore_case", AttributeKind::integer, false, 0}}}}};

constinit const OpSchema StringRegexSplitWithOffsets::schema = {
    "StringRegexSplitWithOffsets",
    extensions_domain,
    {{.since = 1, .inputs = split_inputs, .outputs = split_outputs}}};

constinit const OpSchema StringECMARegexSplitWithOffsets::schema = {
    "StringECMARegexSplitWithOffsets",
    extensions_domain,
    {{.since = 1,
      .inputs = split_inputs,
      .outputs = split_outputs,
      .attributes = {{"ignore_case", AttributeKind::integer, false, 0}}}}};

void StringRegexReplace::read(AttributeReader& attributes, int) {
  replaces_all = attributes.flag("global_replace", true);
}

void StringRegexReplace::infer(InferContext& context) const {
  infer_replaced(context);
}

void StringECMARegexReplace::read(AttributeReader& attributes, int) {
  replaces_all = attributes.flag("global_replace", true);
  ignores_case = attributes.flag("ignore_case");
}

void StringECMARegexReplace::infer(InferContext& context) const {
  infer_replaced(context);
}

void StringRegexSplitWithOffsets::infer(InferContext& context) const {
  infer_pieces(context);
}

void StringECMARegexSplitWithOffsets::read(AttributeReader& attributes, int) {
  ignores_case = attributes.flag("ignore_case");
}

void StringECMARegexSplitWithOffsets::infer(InferContext& context) const {
  infer_pieces(context);
}

}  // namespace ortool::extensions
