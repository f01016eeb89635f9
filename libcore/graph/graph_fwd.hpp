// Graph forward declaration: lets files own graphs without the class definition.
#pragma once

#include <memory>

namespace ortool {

class Graph;

}  // namespace ortool

/// Deletes a graph where only its declaration is known, so that models and attributes can own
/// graphs without including graph.hpp.
template <>
struct std::default_delete<ortool::Graph> {
  void operator()(ortool::Graph* graph) const;
};
