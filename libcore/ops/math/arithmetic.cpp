// Versions of Add, Sub, Mul and Div, which are the same for all four.
#include "libcore/ops/math/arithmetic.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> arithmetic_inputs = {{"A", "T"}, {"B", "T"}};

constexpr std::initializer_list<OpVersion> arithmetic_versions = {
    {.since = 1,
     .inputs = arithmetic_inputs,
     .outputs = {{"C", "T"}},
     .attributes = {{"axis", AttributeKind::integer},
                    {"broadcast", AttributeKind::integer, false, 0},
                    {"consumed_inputs", AttributeKind::integers}},
     .types = {{"T", types::high_floats}}},
    {.since = 6,
     .inputs = arithmetic_inputs,
     .outputs = {{"C", "T"}},
     .attributes = {{"axis", AttributeKind::integer},
                    {"broadcast", AttributeKind::integer, false, 0}},
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 7,
     .inputs = arithmetic_inputs,
     .outputs = {{"C", "T"}},
     .types = {{"T", types::high_precision_numbers}}},
    {.since = 13,
     .inputs = arithmetic_inputs,
     .outputs = {{"C", "T"}},
     .types = {{"T", types::high_precision_numbers | types_of({DataType::bfloat16})}}},
    {.since = 14,
     .inputs = arithmetic_inputs,
     .outputs = {{"C", "T"}},
     .types = {{"T", types::numbers_and_bfloat16}}}};

}  // namespace

constinit const OpSchema Add::schema = {"Add", "", arithmetic_versions};
constinit const OpSchema Sub::schema = {"Sub", "", arithmetic_versions};
constinit const OpSchema Mul::schema = {"Mul", "", arithmetic_versions};
constinit const OpSchema Div::schema = {"Div", "", arithmetic_versions};

}  // namespace ortool
