// CopySafeVariant: copies that run out of memory.
#include "libcore/base/copy_safe_variant.hpp"

#include <new>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace ortool;

namespace {

struct FailsToCopy {
  FailsToCopy() = default;
  FailsToCopy(const FailsToCopy&) { throw std::bad_alloc(); }
  FailsToCopy& operator=(const FailsToCopy&) = default;
};

}  // namespace

TEST_CASE("A variant whose copy runs out of memory destroys nothing that was not built") {
  using Held = CopySafeVariant<std::monostate, std::string, std::vector<FailsToCopy>>;
  const Held held(std::in_place_index<2>, 3);
  CHECK_THROWS_AS(Held(held), std::bad_alloc);
}

TEST_CASE("A variant's visitor sees what it holds and nothing else") {
  CopySafeVariant<int, std::string> held = std::string("text");
  std::string seen;
  visit_held(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) seen = value;
      },
      held);
  CHECK(seen == "text");
}
