// Schema of ONNX Runtime's NGramRepeatBlock.
#include "libcore/ops/contrib/search/ngram_repeat_block.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema NGramRepeatBlock::schema = {
    "NGramRepeatBlock",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "Tid"}, {"scores", "T"}},
      .outputs = {{"scores_out", "T"}},
      .attributes = {{"ngram_size", AttributeKind::integer, true}},
      .types = {{"Tid", types::int64_only}, {"T", types::float32_only}}}}};

void NGramRepeatBlock::read(AttributeReader& attributes, int) {
  ngram_size = attributes.integer_in("ngram_size", 1, 1, std::int64_t{1} << 31);
}

void NGramRepeatBlock::infer(InferContext& context) const {
  check_rank(context, 0, "input_ids", 2);
  check_rank(context, 1, "scores", 2);
  check_dimension("the batch of 'scores'", dimension_at(context, 1, 0),
                  dimension_at(context, 0, 0));
  context.set_output(0, context.element(1), context.shape(1));
}

}  // namespace ortool
