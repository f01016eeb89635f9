// Schemas and shape rules of NGramHashMapping and VarlenNGramHashMapping.
#include "libcore/ops/contrib/legacy/ngram_hash_mapping.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto may_lack = Formal::Count::optional;

}  // namespace

constinit const OpSchema NGramHashMapping::schema = {
    "NGramHashMapping",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "M"},
                 {"multipliers", "M"},
                 {"vocab_sizes", "M"},
                 {"past_ids", "M", may_lack},
                 {"head_offsets", "M", may_lack},
                 {"eos_token_id", "M", may_lack},
                 {"segment_ids", "tensor(int32)", may_lack}},
      .outputs = {{"hash_ids", "M"}, {"present_ids", "M", may_lack}},
      .attributes = {{"max_ngram_size", AttributeKind::integer, true},
                     {"n_head_per_ngram", AttributeKind::integer, true},
                     {"pad_id", AttributeKind::integer, true},
                     {"reset_on_eos", AttributeKind::integer, false, 0}},
      .types = {{"M", types::indices}}}}};

void NGramHashMapping::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = 65536;
  longest = attributes.integer_in("max_ngram_size", 2, 2, most);
  heads = attributes.integer_in("n_head_per_ngram", 1, 1, most);
  pad = attributes.integer("pad_id");
  resets_at_end = attributes.integer("reset_on_eos") != 0;
}

void NGramHashMapping::infer(InferContext& context) const {
  check_rank(context, 0, "input_ids", 2);
  check_rank(context, 1, "multipliers", 1);
  const Dimension multipliers = dimension_at(context, 1, 0);
  if (multipliers.is_known() && multipliers.number() < longest)
    throw Error(ErrorCode::invalid, format("input 'multipliers' has {} elements (expected {})",
                                           multipliers.number(), longest));
  check_vector(context, 2, "vocab_sizes", hash_count());
  check_vector(context, 4, "head_offsets", hash_count());
  if (context.has_input(5)) check_single(context, 5, "eos_token_id");
  const Dimension batch = dimension_at(context, 0, 0);
  if (context.has_input(3)) {
    check_rank(context, 3, "past_ids", 2);
    check_dimension("the batch of 'past_ids'", dimension_at(context, 3, 0), batch);
    check_dimension("the length of 'past_ids'", dimension_at(context, 3, 1), longest - 1);
  }
  if (context.has_input(6)) static_cast<void>(merge_shapes(context.shape(0), context.shape(6)));
  const DataType element = common_element(context, 0, 6);
  context.set_output(0, element, Dimensions{batch, dimension_at(context, 0, 1), hash_count()});
  context.set_output(1, element, Dimensions{batch, longest - 1});
}

constinit const OpSchema VarlenNGramHashMapping::schema = {
    "VarlenNGramHashMapping",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "M"},
                 {"multipliers", "M"},
                 {"vocab_sizes", "M"},
                 {"cumulative_sequence_length", "S"},
                 {"past_ids", "M", may_lack},
                 {"head_offsets", "M", may_lack},
                 {"eos_token_id", "M", may_lack},
                 {"segment_ids", "tensor(int32)", may_lack},
                 {"past_segment_ids", "S", may_lack},
                 {"capture_count", "S", may_lack}},
      .outputs = {{"hash_ids", "M"},
                  {"present_ids", "M", may_lack},
                  {"present_segment_ids", "S", may_lack},
                  {"state_update", "M", may_lack}},
      .attributes = {{"max_ngram_size", AttributeKind::integer, true},
                     {"n_head_per_ngram", AttributeKind::integer, true},
                     {"pad_id", AttributeKind::integer, true},
                     {"reset_on_eos", AttributeKind::integer, false, 0},
                     {"state_update_capacity", AttributeKind::integer, false, 0}},
      .types = {{"M", types::indices}, {"S", types::int32_only}}}}};

void VarlenNGramHashMapping::read(AttributeReader& attributes, int version) {
  constexpr std::int64_t most_captured = 8;
  NGramHashMapping::read(attributes, version);
  capacity = attributes.integer_in("state_update_capacity", 0, 0, most_captured);
  const auto has = [&](std::int64_t input) { return attributes.node().input(input) != nullptr; };
  if (has(9) != (capacity > 0))
    throw Error(ErrorCode::invalid,
                "'capture_count' is given without a state_update_capacity, or the reverse");
  if (has(8) && !has(7))
    throw Error(ErrorCode::invalid, "'past_segment_ids' is given, but not 'segment_ids'");
}

void VarlenNGramHashMapping::infer(InferContext& context) const {
  check_rank(context, 0, "input_ids", 1);
  check_rank(context, 1, "multipliers", 1);
  check_rank(context, 3, "cumulative_sequence_length", 1);
  const Dimension ids = dimension_at(context, 0, 0);
  const Dimension multipliers = dimension_at(context, 1, 0);
  if (multipliers.is_known() && multipliers.number() < longest)
    throw Error(ErrorCode::invalid, format("input 'multipliers' has {} elements (expected {})",
                                           multipliers.number(), longest));
  const Dimension bounds = dimension_at(context, 3, 0);
  if (bounds.is_known() && bounds.number() < 1)
    throw Error(ErrorCode::invalid, "'cumulative_sequence_length' is empty (expected 0 at least)");
  const Dimension batch = bounds - 1;
  check_vector(context, 2, "vocab_sizes", hash_count());
  check_vector(context, 5, "head_offsets", hash_count());
  if (context.has_input(6)) check_single(context, 6, "eos_token_id");
  if (context.has_output(2) && !context.has_input(7))
    throw Error(ErrorCode::invalid,
                "'present_segment_ids' is wanted, but 'segment_ids' is left out");
  check_vector(context, 7, "segment_ids", ids);
  check_vector(context, 9, "capture_count", batch);
  for (const std::int64_t input : {4, 8}) {
    const char* const name = input == 4 ? "past_ids" : "past_segment_ids";
    check_rank(context, input, name, 2);
    check_dimension(format("the batch of '{}'", name), dimension_at(context, input, 0), batch);
    check_dimension(format("the length of '{}'", name), dimension_at(context, input, 1),
                    longest - 1);
  }
  const DataType element = common_element(context, 0, 3);
  context.set_output(0, element, Dimensions{ids, hash_count()});
  context.set_output(1, element, Dimensions{batch, longest - 1});
  context.set_output(2, DataType::int32, Dimensions{batch, longest - 1});
  context.set_output(3, element, Dimensions{batch, Dimension(capacity), longest - 1});
}

}  // namespace ortool
