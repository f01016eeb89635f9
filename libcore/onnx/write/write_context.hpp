// WriteContext: state shared by the writers of one file.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/onnx/write/external_data_file.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/onnx/write/wire_writer.hpp"

namespace ortool::onnx {

struct WriteContext {
  WireWriter& writer;
  const SaveOptions& options;
  ExternalDataFile& external_file;
  bool keeps_references = false;  ///< external tensors stay in their files
  bool moves_large = false;       ///< every large tensor is moved to the weight file
  bool has_external_data = true;  ///< the data of external tensors was loaded
  /// New names of values that cannot keep their own, because it would shadow a value of an
  /// enclosing graph that is also read there, or that ONNX does not allow to be shadowed.
  std::unordered_map<const Value*, std::string> renamed;
  std::set<std::string, std::less<>> new_names;  ///< the new names in `renamed`

  /// The name of a value in the file; for a captured value, that of the outer one.
  std::string_view name_of(const Value& value) const;
  /// Finds the values of `graph` that must be renamed. Call it before writing its nodes, and after
  /// the enclosing graphs.
  void resolve_names(const Graph& graph);
  /// Whether a value of an enclosing graph of `graph` has `name` in the file.
  bool is_taken_around(const Graph& graph, std::string_view name) const;
};

}  // namespace ortool::onnx
