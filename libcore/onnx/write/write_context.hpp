// What the writers of one file's parts share.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/onnx/write/side_file.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace ortool::onnx {

struct WriteContext {
  WireWriter& writer;
  const SaveOptions& options;
  SideFile& side_file;
  bool keeps_references = false;  ///< external tensors stay where they are
  bool moves_large = false;       ///< every large tensor goes to the side file
  bool has_external_data = true;  ///< what external tensors hold was read
  /// Names of values that cannot go by their own, since a value of a graph around has it, which is
  /// read beside, or that ONNX does not let them hide.
  std::unordered_map<const Value*, std::string> renamed;
  std::set<std::string, std::less<>> new_names;  ///< those of `renamed`

  /// The name a value has in the file: of a captured one, that of the value it stands for.
  std::string_view name_of(const Value& value) const;
  /// Finds the values of `graph` that must be renamed. Before its nodes are written, and after the
  /// graphs around it.
  void settle_names(const Graph& graph);
  /// Whether a value of a graph around `graph` goes by `name` in the file.
  bool is_taken_around(const Graph& graph, std::string_view name) const;
};

}  // namespace ortool::onnx
