// Output memory: who makes the tensors that a run's kernels write outputs to.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "libcore/provider/provider.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

class Session;

/// For the runs that a thread calls within a Scope.
class OutputMemory {
 public:
  virtual ~OutputMemory() = default;

  /// `session`, with these providers, is about to run; it may be one that a session made for such
  /// inputs. May throw, which ends the run.
  virtual void enter(const Session& session,
                     std::span<const std::shared_ptr<const Provider>> providers) = 0;
  /// A tensor for all of output `output`, which a kernel writes itself; empty: memory of the
  /// session.
  virtual Tensor make(std::size_t output, DataType type, const Shape& shape) = 0;

  class Scope {
   public:
    explicit Scope(OutputMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    OutputMemory* outer_;
  };
  /// That of this thread's innermost scope; null: there is none.
  static OutputMemory* current();
};

}  // namespace ortool
