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
struct NeverHeld {
  NeverHeld() = delete;
  NeverHeld(const NeverHeld&) noexcept {}
  NeverHeld& operator=(const NeverHeld&) noexcept { return *this; }
  ~NeverHeld() {}
  bool operator==(const NeverHeld&) const = default;
};

template <typename... Types>
using CopySafeVariant = std::variant<Types..., NeverHeld>;

/// Applies `visitor` to the alternative that a CopySafeVariant holds.
template <typename Visitor, typename Held>
void visit_held(Visitor&& visitor, Held&& variant) {
  std::visit(
      [&](auto&& value) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, NeverHeld>)
          visitor(std::forward<decltype(value)>(value));
      },
      std::forward<Held>(variant));
}

}  // namespace ortool
