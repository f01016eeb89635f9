// Mod in its versions; before 28 floating-point numbers had to use fmod.
#include "libcore/ops/math/mod.hpp"

#include "libcore/ops/shape_rules.hpp"

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
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

}  // namespace ortool
