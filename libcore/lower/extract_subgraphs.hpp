// Subgraph extraction: hands the parts of a graph that a provider takes as a whole to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libcore/graph/model.hpp"
#include "libcore/lower/place.hpp"
#include "libcore/lower/subgraph_refusals.hpp"
#include "libcore/provider/subgraph_provider.hpp"

namespace ortool {

struct ExtractOptions {
  /// In order of preference. What an earlier one claims is not offered to a later one.
  std::span<const std::shared_ptr<const Provider>> providers;
  bool strict = false;            ///< only the first one is asked
  bool fuse = true;               ///< false: each node is a part of its own
  PinnedProvider pinned = nullptr;  ///< may be null
};

/// The first of the providers that takes whole subgraphs, or null.
const SubgraphProvider* first_subgraph_provider(
    std::span<const std::shared_ptr<const Provider>> providers);

/// Puts a node Subgraph in place of each part of the model's graphs that a SubgraphProvider takes,
/// and gives it that part. Parts are as large as they can be without waiting for a node that waits
/// for them. `refusals` receives the reasons of other nodes. Returns the number of parts.
std::int64_t extract_subgraphs(Model& model, const ExtractOptions& options,
                               SubgraphRefusals& refusals);

}  // namespace ortool
