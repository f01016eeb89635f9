// Symbolic dimensions that several inputs share, held against the sizes that a run is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Rewriting takes equal symbols for equal sizes, as the file promises. Files break that promise:
/// an exporter calls everything "N", and every runtime runs the model all the same.
class SharedSymbols {
 public:
  SharedSymbols() = default;
  /// Those of the graph's inputs. "?" is no name.
  explicit SharedSymbols(const Graph& graph);

  /// Whether no symbol stands for more than one size.
  bool is_empty() const { return symbols_.empty(); }
  /// Whether each symbol stands for one size in `given`, a value for each input.
  bool hold_for(std::span<const RunValue> given) const;

 private:
  struct Place {
    std::size_t input;
    std::int64_t axis;
  };
  using Places = std::vector<Place>;

  /// By symbol, where it stands; of a sequence, in each of its elements.
  std::vector<Places> symbols_;
};

/// Makes dimensions of inputs that have symbols unknown, each on its own, and takes away shapes of
/// all other values, which may follow from them; inference finds those that hold.
void forget_symbols(Model& model);

}  // namespace ortool
