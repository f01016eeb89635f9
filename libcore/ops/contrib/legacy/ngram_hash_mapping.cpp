// Schema and shape rule of NGramHashMapping.
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

}  // namespace ortool
