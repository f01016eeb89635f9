// Schema of FusedGemm; its shape rule is that of Gemm.
#include "libcore/ops/contrib/fused/fused_gemm.hpp"

#include "libcore/ops/contrib_domain.hpp"

namespace ortool {

constinit const OpSchema FusedGemm::schema = {
    "FusedGemm",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}, {"C", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"activation", AttributeKind::string},
                     {"activation_alpha", AttributeKind::float_number},
                     {"activation_beta", AttributeKind::float_number},
                     {"activation_gamma", AttributeKind::float_number},
                     {"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_precision_numbers}}}}};

void FusedGemm::read(AttributeReader& attributes, int) {
  constexpr int version_of_broadcasting = 13;
  Gemm::read(attributes, version_of_broadcasting);
  activation = FusedActivation::read_single(attributes);
}

}  // namespace ortool
