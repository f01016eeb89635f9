// FunctionRef: a non-owning reference to a callable, two pointers in size, without allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ortool {

template <typename Signature>
class FunctionRef;

/// Refers to a callable that must outlive the call it is passed to.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>) FunctionRef(
      Callable&& callable)  // NOLINT(google-explicit-constructor): reads as the callable
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace ortool
