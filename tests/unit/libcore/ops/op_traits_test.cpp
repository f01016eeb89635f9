// Traits of operators: consistent with one another and with inference.
#include "libcore/ops/op_traits.hpp"

#include <iterator>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "tests/support/inferred.hpp"

namespace ortool {
namespace {

/// Whether every version of the operator has this many inputs, one output and no required
/// attribute.
bool is_plain(const OpSchema& schema, std::int64_t inputs) {
  for (const OpVersion& version : schema.versions) {
    if (version.fewest(version.inputs) > inputs || version.most(version.inputs) < inputs)
      return false;
    for (const AttributeSpec& attribute : version.attributes) {
      if (attribute.is_required) return false;
    }
  }
  return true;
}

bool takes(const OpSchema& schema, DataType type) {
  const OpVersion& newest = *std::prev(schema.versions.end());
  return newest.inputs.size() > 0 && newest.allowed(newest.inputs.begin()->type).contains(type);
}

}  // namespace

TEST_CASE("Traits that say more of others come with them") {
  for (const OpEntry& entry : catalog()) {
    const OpTraits& traits = entry.traits;
    INFO(entry.schema->domain << "." << entry.schema->name);
    if (traits.has(OpTrait::unidirectional) || traits.neutral >= 0 || traits.element_inputs >= 0)
      CHECK(traits.has(OpTrait::elementwise));
    if (traits.has(OpTrait::reshapes)) CHECK(traits.has(OpTrait::data_movement));
    if (traits.has(OpTrait::integer_product)) CHECK(traits.has(OpTrait::quantized));
    if (traits.has(OpTrait::elementwise)) {
      CHECK_FALSE(traits.has(OpTrait::data_movement));
      CHECK_FALSE(traits.has(OpTrait::keeps_axes));
      CHECK_FALSE(traits.has(OpTrait::computes_in_float32));
      CHECK_FALSE(traits.has(OpTrait::random));
    }
    if (traits.role == QuantizeRole::function) CHECK(traits.has(OpTrait::elementwise));
    if (traits.filters >= 0) CHECK(traits.has(OpTrait::channels_second));
  }
}

TEST_CASE("A session's form of an operator has the operator's traits") {
  for (const char* name : {"Gelu", "HardSwish", "Mish", "Swish"}) {
    const OpEntry* container = find_op(own_domain, name);
    REQUIRE(container != nullptr);
    CHECK(container->traits.has(OpTrait::elementwise));
  }
  CHECK(find_op(own_domain, "LayerNormalization")->traits.has(OpTrait::computes_in_float32));
}

TEST_CASE("Elementwise operators of one input keep its shape, those of two broadcast") {
  int checked = 0;
  for (const OpEntry& entry : catalog()) {
    const std::string_view domain = entry.schema->domain;
    if (!entry.traits.has(OpTrait::elementwise) || !domain.empty()) continue;
    if (entry.traits.has(OpTrait::withdrawn)) continue;
    const std::string type = takes(*entry.schema, DataType::float32)   ? "float"
                             : takes(*entry.schema, DataType::boolean) ? "bool"
                                                                       : "uint8";
    const std::string name = entry.schema->name;
    INFO(name);
    if (entry.traits.has(OpTrait::own_result_type) || name == "BitShift") continue;
    const bool has_two = is_plain(*entry.schema, 2) && entry.traits.holds_elements(1);
    if (has_two) {
      const bool is_one_way = entry.traits.has(OpTrait::unidirectional);
      const std::string nodes = "y = " + name + " (x, z)";
      const std::string inputs =
          type + "[A, 1, C] x, " + type + (is_one_way ? "[1, 1] z" : "[A, B, 1] z");
      CHECK(test::inferred({nodes, inputs}).ends_with(is_one_way ? "[A x 1 x C]" : "[A x B x C]"));
    } else if (is_plain(*entry.schema, 1)) {
      const std::string nodes = "y = " + name + " (x)";
      const std::string inputs = type + "[A, 3, C] x";
      CHECK(test::inferred({nodes, inputs}).ends_with("[A x 3 x C]"));
    } else {
      continue;
    }
    ++checked;
  }
  CHECK(checked > 50);
}

}  // namespace ortool
