// The versions of And, Or, Xor and Not.
#include "libcore/ops/logical/boolean.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> boolean_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<OpVersion> boolean_versions = {
    {.since = 1,
     .inputs = boolean_inputs,
     .outputs = {{"C", "T1"}},
     .attributes = {{"axis", AttributeKind::integer},
                    {"broadcast", AttributeKind::integer, false, 0}},
     .types = {{"T", types::boolean_only}, {"T1", types::boolean_only}}},
    {.since = 7,
     .inputs = boolean_inputs,
     .outputs = {{"C", "T1"}},
     .types = {{"T", types::boolean_only}, {"T1", types::boolean_only}}}};

}  // namespace

constinit const OpSchema And::schema = {"And", "", boolean_versions};
constinit const OpSchema Or::schema = {"Or", "", boolean_versions};
constinit const OpSchema Xor::schema = {"Xor", "", boolean_versions};

constinit const OpSchema Not::schema = {"Not",
                                        "",
                                        {{.since = 1,
                                          .inputs = {{"X", "T"}},
                                          .outputs = {{"Y", "T"}},
                                          .types = {{"T", types::boolean_only}}}}};

}  // namespace ortool
