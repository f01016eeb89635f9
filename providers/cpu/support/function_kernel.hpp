// Function kernels: a kernel made of two functions, one that prepares for shapes and one that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// A set of operand positions below 64.
class OperandSet {
 public:
  OperandSet() = default;
  OperandSet(std::initializer_list<std::size_t> positions) {
    for (const std::size_t position : positions) add(position);
  }
  void add(std::size_t position) {
    if (position < 64) bits_ |= std::uint64_t{1} << position;
  }
  bool contains(std::size_t position) const {
    return position < 64 && (bits_ >> position & 1U) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// What prepare() returns in addition to the run function.
struct Preparation {
  std::int64_t workspace_bytes = 0;
  std::int64_t held_bytes = 0;                        ///< memory held that grows with the shapes
  OperandSet overwritable = {};                       ///< inputs that output 0 may overwrite
  std::optional<std::size_t> view_of = std::nullopt;  ///< output 0 is a view of that input
  std::vector<BytesView> views = {};                  ///< by output, if all of them are views
  std::vector<std::int64_t> places = {};              ///< by input: its offset within output 0
};

/// How a function object of a type that the caller alone knows is stored behind a kernel.
struct ClosureType {
  std::size_t bytes;
  void (*move)(void* to, void* from);  ///< constructs it in `to`; `from` is destroyed as usual
  void (*destroy)(void* closure);      ///< null if there is nothing to do
};

template <typename Function>
constexpr ClosureType closure_type = {
    sizeof(Function),
    [](void* to, void* from) { new (to) Function(std::move(*static_cast<Function*>(from))); },
    std::is_trivially_destructible_v<Function>
        ? nullptr
        : +[](void* closure) { static_cast<Function*>(closure)->~Function(); }};

using RunClosure = void (*)(const void* closure, const RunContext& context);
using PrepareClosure = PreparedPtr (*)(const void* closure, const PrepareContext& context);
using RunDynamicClosure = void (*)(const void* closure, DynamicContext& context);

/// What compile() returns in addition to the prepare function.
struct Compilation {
  OperandSet packed = {};  ///< inputs that run() no longer reads
  std::int64_t packed_bytes = 0;
};

/// These take the function object that they move from; each is one class for all of them, where a
/// template would have destructors, tables and type information for each.
PreparedPtr prepare_closure(Preparation preparation, const ClosureType& type, void* closure,
                            RunClosure run);
KernelPtr compile_closure(std::string_view name, Compilation compilation, const ClosureType& type,
                          void* closure, PrepareClosure prepare);
KernelPtr compile_dynamic_closure(std::string_view name, const ClosureType& type, void* closure,
                                  RunDynamicClosure run);

/// A Prepared that calls `run(const RunContext&)`.
template <typename Run>
PreparedPtr make_prepared(Preparation preparation, Run run) {
  static_assert(alignof(Run) <= alignof(std::max_align_t));
  return prepare_closure(std::move(preparation), closure_type<Run>, &run,
                         [](const void* closure, const RunContext& context) {
                           (*static_cast<const Run*>(closure))(context);
                         });
}

/// A Kernel that calls `prepare(const PrepareContext&)`, which returns a PreparedPtr. `name` must
/// outlive it, like a KernelRow's.
template <typename Prepare>
KernelPtr make_kernel(std::string_view name, Prepare prepare, Compilation compilation = {}) {
  static_assert(alignof(Prepare) <= alignof(std::max_align_t));
  return compile_closure(name, compilation, closure_type<Prepare>, &prepare,
                         [](const void* closure, const PrepareContext& context) -> PreparedPtr {
                           return (*static_cast<const Prepare*>(closure))(context);
                         });
}

/// A dynamic Kernel that calls `run(DynamicContext&)`. `name` must outlive it, like a KernelRow's.
template <typename Run>
KernelPtr make_dynamic_kernel(std::string_view name, Run run) {
  static_assert(alignof(Run) <= alignof(std::max_align_t));
  return compile_dynamic_closure(name, closure_type<Run>, &run,
                                 [](const void* closure, DynamicContext& context) {
                                   (*static_cast<const Run*>(closure))(context);
                                 });
}

}  // namespace ortool::cpu
