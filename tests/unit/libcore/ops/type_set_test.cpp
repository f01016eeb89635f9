// Type sets: what they contain, and what a partly known type may be.
#include "libcore/ops/type_set.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

const ValueType unknown_type;
const ValueType floats = ValueType::tensor(DataType::float32);

TEST_CASE("a set holds the element types it was made of, and no other form", "[ops]") {
  constexpr TypeSet set = types::high_floats | types_of({DataType::float6e3m2});
  CHECK(set.contains(DataType::float16));
  CHECK(set.contains(DataType::float6e3m2));
  CHECK_FALSE(set.contains(DataType::bfloat16));
  CHECK_FALSE((set - types::high_floats).contains(DataType::float32));
  CHECK_FALSE(set.contains(TypeSet::Container::sequence, DataType::float16));
  CHECK(types::sequences_of(set).contains(TypeSet::Container::sequence, DataType::float16));
  CHECK_FALSE(types::sequences_of(set).contains(DataType::float16));
  CHECK(TypeSet().is_empty());
}

TEST_CASE("sequences and optionals are told by what is in them", "[ops]") {
  const TypeSet set = types::all_sequences | types::all_optionals;
  CHECK(set.may_contain(ValueType::sequence(floats)));
  CHECK(set.may_contain(ValueType::optional(floats)));
  CHECK(set.may_contain(ValueType::optional(ValueType::sequence(floats))));
  CHECK_FALSE(set.may_contain(floats));
  CHECK_FALSE(set.may_contain(ValueType::sequence(ValueType::sequence(floats))));
  CHECK_FALSE(set.may_contain(ValueType::sequence(ValueType::tensor(DataType::uint4))));
  CHECK_FALSE(set.may_contain(ValueType::map(DataType::int64, DataType::float32)));
}

TEST_CASE("maps are told by key and value", "[ops]") {
  const TypeSet set =
      types::maps_of_int64_to({DataType::float32}) | types::maps_of_string_to({DataType::int64});
  CHECK(set.may_contain(ValueType::map(DataType::int64, DataType::float32)));
  CHECK(set.may_contain(ValueType::map(DataType::string, DataType::int64)));
  CHECK_FALSE(set.may_contain(ValueType::map(DataType::string, DataType::float32)));
  const ValueType list = ValueType::sequence(ValueType::map(DataType::string, DataType::int64));
  CHECK_FALSE(set.may_contain(list));
  CHECK(types::sequences_of(set).may_contain(list));
}

TEST_CASE("what is not known of a type excludes nothing", "[ops]") {
  CHECK(types::all_tensors.may_contain(unknown_type));
  CHECK(types::all_tensors.may_contain(ValueType::tensor(DataType::undefined)));
  CHECK_FALSE(types::all_tensors.may_contain(ValueType::sequence(unknown_type)));
  CHECK(types::all_sequences.may_contain(ValueType::sequence(unknown_type)));
  CHECK(types::all_optionals.may_contain(ValueType::optional(unknown_type)));
  CHECK(types::all_optionals.may_contain(ValueType::optional(ValueType::sequence(unknown_type))));
  CHECK(types::maps_of_string_to({DataType::int64})
            .may_contain(ValueType::map(DataType::undefined, DataType::undefined)));
  CHECK_FALSE(types::all_tensors.may_contain(ValueType::optional(unknown_type)));
}

}  // namespace
}  // namespace ortool
