// What a file says of the types of its values, kept while inference writes its own findings there.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Inference names dimensions by formulas that no file should hold, so that a model that is to be
/// written gets its own words back.
class DeclaredTypes {
 public:
  /// Of a model as it was loaded, its shapes fixed or not, before inference.
  explicit DeclaredTypes(const Model& model);

  /// Gives inputs, outputs and declared values that are still there the types they had. Numbers
  /// that inference found fill in what is not declared only where `has_fixed_shapes`: then they
  /// follow from what the user said. An output of the main graph whose type nobody declared keeps
  /// what was inferred, formulas left out.
  void restore(Model& model, bool has_fixed_shapes) const;

 private:
  struct Declared {
    std::string name;
    ValueType type;
  };
  std::unordered_map<const Value*, Declared> types_;
};

}  // namespace ortool
