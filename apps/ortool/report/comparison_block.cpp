// JSON of a comparison; metrics are null if shapes or types differ.
#include "apps/ortool/report/comparison_block.hpp"

namespace ortool {

Json comparison_block(std::string_view name, std::string_view against,
                      const Judge::Verdict& verdict) {
  const TensorComparison& result = verdict.comparison;
  Json block = Json::object();
  block.set("name", name)
      .set("against", against)
      .set("passed", verdict.has_passed)
      .set("reason", verdict.reason.empty() ? Json() : Json(verdict.reason));
  if (!result.difference.empty()) {
    for (const char* key : {"max_abs_error", "max_rel_error", "max_ulp", "cosine", "sqnr_db",
                            "mismatched", "count", "worst_index"}) {
      block.set(key, Json());
    }
    return block;
  }
  block.set("max_abs_error", result.max_abs_error)
      .set("max_rel_error", result.max_rel_error)
      .set("max_ulp", result.max_ulp)
      .set("cosine", result.cosine)
      .set("sqnr_db", result.sqnr_db)
      .set("mismatched", result.mismatched)
      .set("count", result.count)
      .set("worst_index", result.worst_index < 0 ? Json() : Json(result.worst_index));
  return block;
}

}  // namespace ortool
