// Versions and shape rules of the string operators.
#include "libcore/ops/text/string_ops.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema StringConcat::schema = {"StringConcat",
                                                 "",
                                                 {{.since = 20,
                                                   .inputs = {{"X", "T"}, {"Y", "T"}},
                                                   .outputs = {{"Z", "T"}},
                                                   .types = {{"T", types::string_only}}}}};

constinit const OpSchema RegexFullMatch::schema = {
    "RegexFullMatch",
    "",
    {{.since = 20,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"pattern", AttributeKind::string}},
      .types = {{"T1", types::string_only}, {"T2", types::boolean_only}}}}};

constinit const OpSchema StringSplit::schema = {
    "StringSplit",
    "",
    {{.since = 20,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}, {"Z", "T3"}},
      .attributes = {{"delimiter", AttributeKind::string}, {"maxsplit", AttributeKind::integer}},
      .types = {
          {"T1", types::string_only}, {"T2", types::string_only}, {"T3", types::int64_only}}}}};

constinit const OpSchema StringNormalizer::schema = {
    "StringNormalizer",
    "",
    {{.since = 10,
      .inputs = {{"X", "tensor(string)"}},
      .outputs = {{"Y", "tensor(string)"}},
      .attributes = {{"case_change_action", AttributeKind::string, false, "NONE"},
                     {"is_case_sensitive", AttributeKind::integer, false, 0},
                     {"locale", AttributeKind::string},
                     {"stopwords", AttributeKind::strings}}}}};

void StringConcat::infer(InferContext& context) const {
  context.set_output(0, DataType::string, broadcast_inputs(context, 0, 2));
}

void RegexFullMatch::read(AttributeReader& attributes, int) {
  if (!attributes.has("pattern")) {
    throw Error(ErrorCode::invalid, "attribute 'pattern' is missing, and has no default")
        .with_id("node.attribute.missing");
  }
  pattern = attributes.string("pattern");
}

void RegexFullMatch::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, context.shape(0));
}

void StringSplit::read(AttributeReader& attributes, int) {
  delimiter = attributes.string("delimiter");
  max_cuts = attributes.find_integer("maxsplit");
  if (max_cuts && *max_cuts < 0) {
    throw Error(ErrorCode::invalid, format("maxsplit is {} (expected 0 or more)", *max_cuts));
  }
}

void StringSplit::infer(InferContext& context) const {
  PartialShape pieces = context.shape(0);
  if (pieces) pieces->push_back(Dimension());
  context.set_output(0, DataType::string, std::move(pieces));
  context.set_output(1, DataType::int64, context.shape(0));
}

void StringNormalizer::read(AttributeReader& attributes, int) {
  to_case = attributes.choice("case_change_action", {"LOWER", "UPPER", "NONE"}, Case::unchanged);
  is_case_sensitive = attributes.flag("is_case_sensitive");
  stop_words = attributes.find_strings("stopwords").value_or(std::vector<std::string>());
  locale = attributes.string("locale");
}

void StringNormalizer::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) {
    const bool is_row =
        shape->size() == 1 ||
        (shape->size() == 2 && (!shape->front().is_known() || shape->front() == Dimension(1)));
    if (!is_row) {
      throw Error(ErrorCode::invalid,
                  format("the input has the shape {} (expected C or 1 x C)", to_string(shape)));
    }
    if (shape->size() == 2) shape->front() = 1;
    // If all strings are removed, a single empty string remains.
    shape->back() = stop_words.empty() ? max(shape->back(), 1) : Dimension();
  }
  context.set_output(0, DataType::string, std::move(shape));
}

}  // namespace ortool
