// Random key of a node without a seed: a hash of the name of its output. Keys differ between nodes
// and are the same in every run, since reproducible results matter more than varying ones.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/node.hpp"

namespace ortool::cpu {

/// The FNV-1a hash of the name of the node's first output.
inline std::uint64_t key_of_name(const Node& node) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const Value* output = node.output(0);
  for (const char letter : output != nullptr ? output->name() : std::string_view()) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace ortool::cpu
