// Output files: one file per output by position, or arrays by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// An output with its position among the graph's outputs.
struct Output {
  std::string name;
  std::size_t position;
  RunValue value;
  ValueType type;
};

/// Whether .npy can hold it: not bfloat16 and narrower floats, or packed integers.
bool numpy_holds(const Tensor& tensor);

/// Writes "DIR/STEM.EXT" in the named format, or as JSON if the format does not support the value:
/// NumPy's has no maps, sequences or bfloat16. Returns the path.
std::string write_value_file(const std::string& folder, const std::string& stem,
                             std::string_view format, const std::string& name,
                             const RunValue& value, const ValueType& type);

/// Writes to `folder`, which is created if needed: output_N.npy, output_N.pb or output_N.json each,
/// or all outputs to outputs.npz, where the elements of a sequence are "name[0]", "name[1]" and so
/// on. Values that npy and npz do not support go to output_N.json. Returns each output's file.
/// Throws ErrorCode::write_failed.
std::vector<std::string> write_outputs(const std::string& folder, std::string_view format,
                                       std::span<const Output> outputs);

/// The file content of one output as "npy", "npz", "pb" or "json".
std::string output_bytes(std::string_view format, const Output& output);

void make_folder(const std::string& folder);

}  // namespace ortool
