// CopySafeVariant: a std::variant that stays valid when copying it runs out of memory.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace ortool {

/// An alternative that is never held. libstdc++ 12 assumes that a variant of small trivial types,
/// strings, vectors and smart pointers only is never valueless, and then destroys an alternative
/// that was never constructed when a copy throws std::bad_alloc. One alternative of another kind
/// disables that optimization.
struct NeverHeldAlternative {
  NeverHeldAlternative() = delete;
  NeverHeldAlternative(const NeverHeldAlternative&) noexcept {}
  NeverHeldAlternative& operator=(const NeverHeldAlternative&) noexcept { return *this; }
  ~NeverHeldAlternative() {}
  bool operator==(const NeverHeldAlternative&) const = default;
};

template <typename... Types>
using CopySafeVariant = std::variant<Types..., NeverHeldAlternative>;

/// Applies `visitor` to the alternative that a CopySafeVariant holds.
template <typename Visitor, typename Held>
void visit_held(Visitor&& visitor, Held&& variant) {
  std::visit(
      [&](auto&& value) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, NeverHeldAlternative>)
          visitor(std::forward<decltype(value)>(value));
      },
      std::forward<Held>(variant));
}

}  // namespace ortool
