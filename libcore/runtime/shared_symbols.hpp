// Shared symbols: symbolic dimensions of several inputs, checked against the sizes of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Rewriting assumes that equal symbols mean equal sizes, as ONNX specifies. Some files violate
/// this: an exporter names every dimension "N", and every runtime runs the model nonetheless.
class SharedSymbols {
 public:
  SharedSymbols() = default;
  /// Those of the graph's inputs. "?" is not a symbol name.
  explicit SharedSymbols(const Graph& graph);

  /// Whether no symbol occurs more than once.
  bool is_empty() const { return symbols_.empty(); }
  /// Whether each symbol has a single size in `given`, one value per input.
  bool hold_for(std::span<const RunValue> given) const;

 private:
  struct Place {
    std::size_t input;
    std::int64_t axis;
  };
  using Places = std::vector<Place>;

  /// By symbol, its occurrences; in a sequence, those of each element.
  std::vector<Places> symbols_;
};

/// Makes the symbolic dimensions of inputs unknown and independent, and removes the shapes of all
/// other values, which may depend on them; inference restores those that still hold.
void forget_symbols(Model& model);

}  // namespace ortool
