// The constants of a session: taken out of its graph, freed once every kernel has packed them.
#pragma once

#include <span>
#include <unordered_map>

#include "libcore/graph/value.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class DerivedStore;
class Graph;

/// Content by value. Addresses of tensors stay until they are freed.
class ConstantStore {
 public:
  ConstantStore() = default;
  ConstantStore(const ConstantStore&) = delete;
  ConstantStore& operator=(const ConstantStore&) = delete;
  ConstantStore(ConstantStore&&) = default;
  ConstantStore& operator=(ConstantStore&&) = default;

  /// The constants of `main` and of all graphs inside it, for kernels that are compiled. Weights
  /// move: the graph keeps their types alone. What operators read as parameters (int32, int64, and
  /// all that is small) the graph keeps too.
  static ConstantStore take(Graph& main);
  /// The constants among `values` (null ones are left out), which the graph keeps, aligned as by
  /// align().
  static ConstantStore share(std::span<Value* const> values, const DerivedStore* derived = nullptr);

  /// The content of a constant of the store; null once it was freed.
  const Tensor* find(const Value& constant) const;
  /// Its type and shape, and its content unless it was freed.
  Operand operand(const Value& constant) const;
  /// As it lies in the model: what find() gives, before it was aligned.
  const Tensor& original(const Value& constant) const;

  /// Constants lie in files as they come; kernels want them aligned to their element. Gives those
  /// among `values` (null ones are left out) aligned copies where they need one; no large ones
  /// where `derived` (may be null) reads, since kernels do not read what they find packed.
  void align(std::span<const Value* const> values, const DerivedStore* derived = nullptr);
  /// A kernel that reads `constant` at one place is compiled. Unless it, or another one, reads it
  /// at run time too, the copy goes, and after the last place the content: mapped pages leave
  /// memory, and so do weights that were made here. A large copy that stays is kept in `derived`.
  void finish_use(const Value& constant, bool is_read_at_run_time, DerivedStore* derived = nullptr);

 private:
  struct Entry {
    DataType type;
    Shape shape;
    Tensor content;   ///< empty: it was freed
    Tensor original;  ///< empty: the content itself
    std::size_t open_uses;
    bool is_weight;
    bool is_read_at_run_time = false;
  };

  void add(const Value& constant, Tensor content, bool is_weight);
  const Entry& entry(const Value& constant) const;
  static void keep_aligned(Entry& entry, DerivedStore* derived);

  std::unordered_map<const Value*, Entry> entries_;
};

}  // namespace ortool
