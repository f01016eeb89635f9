// Schema of ONNX Runtime's BifurcationDetector.
#include "libcore/ops/contrib/search/bifurcation_detector.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema BifurcationDetector::schema = {
    "BifurcationDetector",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"src_tokens", "T"},
                 {"cur_tokens", "T"},
                 {"prev_suffix_match_idx", "T"},
                 {"pred_tokens", "T", Formal::Count::optional}},
      .outputs = {{"tokens", "T"}, {"suffix_match_idx", "T"}},
      .attributes = {{"max_ngram_size", AttributeKind::integer, false, 3},
                     {"min_ngram_size", AttributeKind::integer, false, 1}},
      .types = {{"T", types::int64_only}}}}};

void BifurcationDetector::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  min_ngram_size = attributes.integer_in("min_ngram_size", 1, 1, most);
  max_ngram_size = attributes.integer_in("max_ngram_size", 3, min_ngram_size, most);
}

void BifurcationDetector::infer(InferContext& context) const {
  check_rank(context, 0, "src_tokens", 1);
  check_rank(context, 1, "cur_tokens", 1);
  check_single(context, 2, "prev_suffix_match_idx");
  const bool has_predictions = context.has_input(3);
  if (has_predictions) check_rank(context, 3, "pred_tokens", 1);
  context.set_output(
      0, DataType::int64,
      has_predictions ? PartialShape(Dimensions{context.unknown_dimension()}) : context.shape(1));
  context.set_output(1, DataType::int64, context.shape(2));
}

}  // namespace ortool
