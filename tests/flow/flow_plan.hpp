// Plan of a random model with If, Loop, Scan and SequenceMap, before it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "tests/flow/fragment.hpp"

namespace ortool::test {

/// Random numbers that are the same for a seed on every machine.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool percent(std::size_t chance) { return below(100) < chance; }

 private:
  std::mt19937_64 engine_;
};

/// How a body receives an input of a fragment: captured from an outer graph, as loop-carried state,
/// or as a slice of a scanned input.
enum class InputRole { captured, carried, scanned };

/// One use of a fragment's nodes, with the chosen value of each input.
struct FragmentUse {
  const Fragment* fragment = nullptr;
  std::vector<std::size_t> chosen;  ///< index of each input's value
  std::vector<InputRole> roles;
};

enum class FlowKind { branches, loop, scan, map };

/// One value of one input of a fragment.
using Source = std::tuple<const Fragment*, std::size_t, std::size_t>;

const Tensor& tensor_of(const Source& source);

struct FlowPlan;

struct BodyPlan {
  std::vector<FragmentUse> fragments;
  std::vector<FlowPlan> flows;
  /// An inner value of an outer graph's fragment that is also an output of the body.
  struct Peek {
    std::size_t fragment;
    const Value* value;  ///< in the fragment's own model
  };
  std::vector<Peek> peeks;

  /// Types of its outputs: of the fragments, the control-flow nodes and the peeks.
  std::vector<DataType> types() const;
  /// The distinct sources that its fragments read in this role.
  std::vector<Source> sources(InputRole role) const;
};

struct FlowPlan {
  FlowKind kind = FlowKind::branches;
  std::vector<BodyPlan> bodies;  ///< the then branch first
  bool is_else_first = false;    ///< in the order of attributes
  bool swaps_states = false;

  /// Types of the node's outputs: the states of Loop and Scan, then the outputs of the bodies.
  std::vector<DataType> types() const;
};

/// Plans the main graph from one to three fragments of one opset. Plans with consecutive numbers
/// start with consecutive groups of nodes.
BodyPlan make_plan(RandomSource& dice, Fragments& fragments, std::uint64_t number);

}  // namespace ortool::test
