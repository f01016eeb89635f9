// Writing outputs: files called by position, arrays called by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// An output with its place among the graph's outputs.
struct Output {
  std::string name;
  std::size_t position;
  RunValue value;
  ValueType type;
};

/// Writes "DIR/STEM.EXT" in the format named, or as JSON what that format has no place for: numpy's
/// knows neither maps nor sequences nor bfloat16. Returns the path.
std::string write_value_file(const std::string& folder, const std::string& stem,
                             std::string_view format, const std::string& name,
                             const RunValue& value, const ValueType& type);

/// Writes into `folder`, which is made when it is not there: output_N.npy, output_N.pb or
/// output_N.json each, or all outputs into outputs.npz, where the elements of a sequence are
/// "name[0]", "name[1]" and so on. What npy and npz cannot hold goes to output_N.json. Returns each
/// output's file. Throws ErrorCode::write_failed.
std::vector<std::string> write_outputs(const std::string& folder, std::string_view format,
                                       std::span<const Output> outputs);

/// The bytes of one output as "npy", "npz", "pb" or "json".
std::string output_bytes(std::string_view format, const Output& output);

void make_folder(const std::string& folder);

}  // namespace ortool
