// Declared types: the value types of a file, preserved while inference overwrites them.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Inference expresses dimensions as formulas that should not be in files, so a model gets its
/// declared types back before it is written.
class DeclaredTypes {
 public:
  /// For a model as loaded, with or without fixed shapes, before inference.
  explicit DeclaredTypes(const Model& model);

  /// Restores the types of inputs, outputs and declared values that still exist. Inferred numbers
  /// replace undeclared dimensions only if `has_fixed_shapes`: then they follow from the user's
  /// shapes. Outputs of the main graph without declared type keep the inferred one, without
  /// formulas.
  void restore(Model& model, bool has_fixed_shapes) const;

 private:
  struct Declared {
    std::string name;
    ValueType type;
  };
  std::unordered_map<const Value*, Declared> types_;
};

}  // namespace ortool
