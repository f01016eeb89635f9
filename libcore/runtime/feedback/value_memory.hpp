// Value memory: where the inputs that a run reads lie, and the outputs that its kernels write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "libcore/graph/value.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

class Program;

/// For the runs that a thread calls within a Scope. Values are those of the main graph and of
/// bodies, of which each is another one: what a body captures has a value of its own.
class ValueMemory {
 public:
  virtual ~ValueMemory() = default;

  /// `program`, with these providers, is about to run; it may be that of a session that another one
  /// made for such inputs. May throw, which ends the run.
  virtual void enter(const Program& program,
                     std::span<const std::shared_ptr<const Provider>> providers) = 0;
  /// What a run reads as `input`, an input or a captured value, that is `given`.
  virtual RunValue input(const Value& input, const RunValue& given) = 0;
  /// A tensor for all of `output`, an output of the main graph or of a body, which a kernel writes
  /// itself; empty: memory of the session.
  virtual Tensor make(const Value& output, DataType type, const Shape& shape) = 0;
  /// Where the host has what is at `address`, which it cannot read; null: it can.
  virtual const std::byte* on_host(const std::byte* address) const = 0;

  class Scope {
   public:
    explicit Scope(ValueMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ValueMemory* outer_;
  };
  /// That of this thread's innermost scope; null: there is none.
  static ValueMemory* current();
};

}  // namespace ortool
