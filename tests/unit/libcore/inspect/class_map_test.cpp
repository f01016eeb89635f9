// Which outputs count as class maps.
#include "libcore/inspect/class_map.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

using Names = std::set<std::string, std::less<>>;

Names maps_of(const std::string& outputs, const std::string& nodes) {
  return class_maps(
      *inferred_model("<ir_version: 8, opset_import: [\"\": 17]> g (float[1, 3, 4, 5] x) => (" +
                      outputs + ") <int64[1] one = {1}> {" + nodes + "}"));
}

TEST_CASE("what ArgMax chooses is a class map, moved and cast to integers too", "[inspect]") {
  CHECK(maps_of("int64[1, 4, 5] y", "y = ArgMax <axis = 1, keepdims = 0> (x)") == Names{"y"});
  CHECK(maps_of("uint8[4, 5] y",
                "a = ArgMin <axis = 1> (x) b = Cast <to = 2> (a) c = Squeeze (b, one) "
                "d = Transpose <perm = [1, 2, 0]> (c) zero = Constant <value_ints = [2]> () "
                "y = Squeeze (d, zero)") == Names{"y"});
  CHECK(maps_of("int64[4, 5] y",
                "a = ArgMax <axis = 1, keepdims = 0> (x) zero = Constant <value_int = 0> () "
                "y = Gather <axis = 0> (a, zero)") == Names{"y"});
}

TEST_CASE("numbers computed from classes, floats and other integers are no class map",
          "[inspect]") {
  CHECK(maps_of("float[1, 4, 5] y", "a = ArgMax <axis = 1, keepdims = 0> (x) y = Cast <to = 1> (a)")
            .empty());
  CHECK(maps_of("int64[1, 4, 5] y", "a = ArgMax <axis = 1, keepdims = 0> (x) y = Add (a, a)")
            .empty());
  CHECK(maps_of("int64[1, 3, 4, 5] y", "y = Cast <to = 7> (x)").empty());
  CHECK(maps_of("int64[4] y", "y = Shape (x)").empty());
}

}  // namespace
}  // namespace ortool
