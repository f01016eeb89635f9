// Optional outputs that a kernel computes whether or not they are requested.
#pragma once

#include <cstdint>

#include "libcore/provider/kernel.hpp"
#include "libcore/provider/workspace_layout.hpp"

namespace ortool::cpu {

/// An output or, if it is omitted, space for it in the workspace.
class OptionalOutput {
 public:
  OptionalOutput(const PrepareContext& context, std::size_t index, std::int64_t bytes,
                 WorkspaceLayout& layout)
      : index_(index), is_given_(context.has_output(index)) {
    if (!is_given_) offset_ = layout.add(bytes);
  }

  template <typename T>
  T* write(const RunContext& run) const {
    return is_given_ ? run.output<T>(index_) : reinterpret_cast<T*>(run.workspace() + offset_);
  }

 private:
  std::size_t index_;
  bool is_given_;
  std::int64_t offset_ = 0;
};

}  // namespace ortool::cpu
