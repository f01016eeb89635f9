// Schema, attributes and shape rule of com.microsoft.Tokenizer.
#include "libcore/ops/contrib/text/tokenizer.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {

constinit const OpSchema Tokenizer::schema = {
    "Tokenizer",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"mark", AttributeKind::integer, true},
                     {"mincharnum", AttributeKind::integer, true},
                     {"pad_value", AttributeKind::string, true},
                     {"separators", AttributeKind::strings},
                     {"tokenexp", AttributeKind::string}},
      .types = {{"T", types::string_only}}}}};

bool Tokenizer::splits_characters() const {
  return separators.empty() ? token_pattern == "."
                            : separators.size() == 1 && separators.front().empty();
}

void Tokenizer::read(AttributeReader& attributes, int) {
  marks_ends = attributes.flag("mark");
  padding = attributes.string("pad_value");
  least_characters = attributes.integer_in("mincharnum", 1, 1, INT64_MAX);
  token_pattern = attributes.string("tokenexp");
  const auto patterns = attributes.find_strings("separators");
  if (!patterns && !attributes.has("tokenexp")) {
    throw Error(ErrorCode::invalid,
                "the attributes 'separators' and 'tokenexp' are missing (expected one of them)")
        .with_id("node.attribute.missing");
  }
  if (patterns && patterns->empty())
    throw Error(ErrorCode::invalid, "separators is empty (expected one pattern or more)");
  if (patterns) separators = *patterns;
  if (!patterns && token_pattern.empty())
    throw Error(ErrorCode::invalid, "tokenexp is empty (expected a pattern)");
  if (splits_characters() && least_characters > 1) {
    throw Error(
        ErrorCode::invalid,
        format("mincharnum is {} (expected 1, since each character is a token)", least_characters));
  }
}

void Tokenizer::infer(InferContext& context) const {
  PartialShape tokens = context.shape(0);
  if (tokens) {
    if (tokens->empty() || tokens->size() > 2) {
      throw Error(ErrorCode::invalid,
                  format("'X' has the shape {} (expected C or N x C)", to_string(tokens)));
    }
    // Without any text, there is no axis of tokens either.
    const bool has_texts = std::ranges::find(*tokens, Dimension(0)) == tokens->end();
    if (has_texts) {
      tokens->push_back(context.unknown_dimension());
    } else {
      tokens->back() = 0;
    }
  }
  context.set_output(0, DataType::string, std::move(tokens));
}

}  // namespace ortool
