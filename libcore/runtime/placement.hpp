// Placement of nodes: the provider and kernel of each, and why others were not chosen.
#pragma once

#include <string>
#include <vector>

namespace ortool {

struct LoweringReport;
class Program;

/// Which provider runs a node, with the kernel's name and the refusals of preferred providers.
struct Placement {
  std::string node;
  std::string op_type;
  std::string provider;
  std::string kernel;
  std::vector<std::string> reasons;  ///< "onednn: …" for each preferred provider that refused
  /// The file's nodes that a rewritten node corresponds to; empty for one of the file itself.
  std::vector<std::string> origins;
};

/// The nodes of a program and of its bodies, in order of execution.
std::vector<Placement> list_placement(const Program& program, const LoweringReport& lowering);

}  // namespace ortool
