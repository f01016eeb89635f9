// Plan of a random model with If, Loop, Scan and SequenceMap, before it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "tests/flow/fragment.hpp"

namespace ortool::test {

/// The same numbers for the same seed, on every machine.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool percent(std::size_t chance) { return below(100) < chance; }

 private:
  std::mt19937_64 engine_;
};

/// How a body gets what a piece reads: from graphs around it, as a state that its loop carries, or
/// as a slice of what its loop walks over.
enum class InputRole { captured, carried, scanned };

/// The nodes of a piece once more, with values of its inputs by position.
struct FragmentUse {
  const Fragment* fragment = nullptr;
  std::vector<std::size_t> chosen;  ///< which of the piece's values
  std::vector<InputRole> roles;
};

enum class FlowKind { branches, loop, scan, map };

/// One tensor for one input of a piece.
using Source = std::tuple<const Fragment*, std::size_t, std::size_t>;

const Tensor& tensor_of(const Source& source);

struct FlowPlan;

struct BodyPlan {
  std::vector<FragmentUse> fragments;
  std::vector<FlowPlan> flows;
  /// Inner values of pieces of the graph around it that are outputs too.
  struct Peek {
    std::size_t fragment;
    const Value* value;  ///< of the piece's own model
  };
  std::vector<Peek> peeks;

  /// Of its outputs: those of the pieces, of the flows, and what is peeked at.
  std::vector<DataType> types() const;
  /// What its pieces read in this way, each source once.
  std::vector<Source> sources(InputRole role) const;
};

struct FlowPlan {
  FlowKind kind = FlowKind::branches;
  std::vector<BodyPlan> bodies;  ///< the then branch first
  bool is_else_first = false;    ///< in the order of attributes
  bool swaps_states = false;

  /// Of the node's outputs: those of the bodies, behind the states of Loop and Scan.
  std::vector<DataType> types() const;
};

/// A plan for the main graph out of one to three pieces of one opset. Plans with numbers in a row
/// begin with one group of nodes after the other.
BodyPlan make_plan(RandomSource& dice, Fragments& fragments, std::uint64_t number);

}  // namespace ortool::test
