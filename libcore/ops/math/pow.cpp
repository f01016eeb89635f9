// Versions of Pow; since 12 the exponent may have another type than the base.
#include "libcore/ops/math/pow.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> pow_inputs_1 = {{"X", "T"}, {"Y", "T"}};

constexpr std::initializer_list<Formal> pow_inputs_12 = {{"X", "T"}, {"Y", "T1"}};

}  // namespace

constinit const OpSchema Pow::schema = {
    "Pow",
    "",
    {{.since = 1,
      .inputs = pow_inputs_1,
      .outputs = {{"Z", "T"}},
      .attributes = {{"axis", AttributeKind::integer},
                     {"broadcast", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}}},
     {.since = 7,
      .inputs = pow_inputs_1,
      .outputs = {{"Z", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 12,
      .inputs = pow_inputs_12,
      .outputs = {{"Z", "T"}},
      .types = {{"T", types::high_floats | types::indices}, {"T1", types::numbers}}},
     {.since = 13,
      .inputs = pow_inputs_12,
      .outputs = {{"Z", "T"}},
      .types = {{"T", types::floats | types::indices}, {"T1", types::numbers}}},
     {.since = 15,
      .inputs = pow_inputs_12,
      .outputs = {{"Z", "T"}},
      .types = {{"T", types::floats | types::indices}, {"T1", types::numbers_and_bfloat16}}}}};

}  // namespace ortool
