// Versions of Mod; before 28, floating-point types required fmod.
#include "libcore/ops/math/mod.hpp"

#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> mod_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<AttributeSpec> mod_attributes = {
    {"fmod", AttributeKind::integer, false, 0}};

}  // namespace

constinit const OpSchema Mod::schema = {"Mod",
                                        "",
                                        {{.since = 10,
                                          .inputs = mod_inputs,
                                          .outputs = {{"C", "T"}},
                                          .attributes = mod_attributes,
                                          .types = {{"T", types::numbers}}},
                                         {.since = 13,
                                          .inputs = mod_inputs,
                                          .outputs = {{"C", "T"}},
                                          .attributes = mod_attributes,
                                          .types = {{"T", types::numbers_and_bfloat16}}},
                                         {.since = 28,
                                          .inputs = mod_inputs,
                                          .outputs = {{"C", "T"}},
                                          .attributes = mod_attributes,
                                          .types = {{"T", types::numbers_and_bfloat16}}}}};

void Mod::read(AttributeReader& attributes, int) {
  sign_of_dividend = attributes.flag("fmod");
}

void Mod::infer(InferContext& context) const {
  const DataType element = common_element(context, 0, 2);
  context.set_output(0, element, broadcast_inputs(context, 0, 2));
  // Both kinds of remainder agree for nonnegative operands.
  combine_elements(context, element, [&](const KnownElement& a, const KnownElement& b) {
    const bool is_plain = is_at_least(a.numerator, 0) && is_at_least(b.numerator, 0);
    const bool is_followed = is_plain || (!sign_of_dividend && is_integer(element));
    return is_followed ? combine(ElementOp::modulo, a, b, element) : KnownElement();
  });
}

}  // namespace ortool
