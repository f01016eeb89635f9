// Value placement: which inputs and outputs of a program the kernels of one provider alone read and
// write, also in the bodies of If.
#pragma once

#include <unordered_map>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

class Program;

class ValuePlacement {
 public:
  explicit ValuePlacement(const Program& program) { add(program); }

  /// The values that are `input` of the main graph to nodes of `provider`: itself, and what bodies
  /// capture of it. Empty: nothing reads it, or something else does, or it becomes an output other
  /// than `passed_to`, which may be null.
  std::vector<const Value*> readers(const Value& input, const Provider& provider,
                                    const Value* passed_to) const;
  /// The values that nodes of `provider` write as `output` of the main graph: itself, or the
  /// outputs of the branches of an If. In a branch that has none of them the output is made on the
  /// host. Empty: there are none, or something else reads it.
  std::vector<const Value*> writers(const Value& output, const Provider& provider) const;

 private:
  using Values = std::vector<const Value*>;

  void add(const Program& program);
  bool is_run_by(const Node& node, const Provider& provider) const;
  bool add_readers(const Value& value, const Provider& provider, const Value* passed_to,
                   Values& readers) const;
  bool read_by_captures(const Node& node, const Value& value, const Provider& provider,
                        const Value* passed_to, Values& readers) const;
  bool is_written_for(const Value& output, const Provider& provider) const;
  void add_writers(const Value& output, const Provider& provider, Values& writers) const;

  std::unordered_map<const Node*, const Provider*> providers_;  ///< null: the runtime
};

}  // namespace ortool
