// Versions of BitShift and the bitwise operators.
#include "libcore/ops/math/bitwise.hpp"

#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<OpVersion> bitwise_versions = {{.since = 18,
                                                                .inputs = {{"A", "T"}, {"B", "T"}},
                                                                .outputs = {{"C", "T"}},
                                                                .types = {{"T", types::integers}}}};

}  // namespace

constinit const OpSchema BitwiseAnd::schema = {"BitwiseAnd", "", bitwise_versions};
constinit const OpSchema BitwiseOr::schema = {"BitwiseOr", "", bitwise_versions};
constinit const OpSchema BitwiseXor::schema = {"BitwiseXor", "", bitwise_versions};

constinit const OpSchema BitwiseNot::schema = {"BitwiseNot",
                                               "",
                                               {{.since = 18,
                                                 .inputs = {{"X", "T"}},
                                                 .outputs = {{"Y", "T"}},
                                                 .types = {{"T", types::integers}}}}};

constinit const OpSchema BitShift::schema = {
    "BitShift",
    "",
    {{.since = 11,
      .inputs = {{"X", "T"}, {"Y", "T"}},
      .outputs = {{"Z", "T"}},
      .attributes = {{"direction", AttributeKind::string, true}},
      .types = {{"T", types::unsigned_integers}}},
     {.since = 28,
      .inputs = {{"X", "T"}, {"Y", "T"}},
      .outputs = {{"Z", "T"}},
      .attributes = {{"direction", AttributeKind::string, true}},
      .types = {{"T", types::integers}}}}};

void BitwiseBinary::infer(InferContext& context) const {
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

void BitShift::read(AttributeReader& attributes, int) {
  to_the_right = attributes.choice("direction", {"LEFT", "RIGHT"}, 0) == 1;
}

void BitShift::infer(InferContext& context) const {
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

}  // namespace ortool
