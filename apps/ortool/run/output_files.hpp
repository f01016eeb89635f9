// Writing outputs: files called by position, arrays called by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// An output with its place among the graph's outputs.
struct Output {
  std::string name;
  std::size_t position;
  Tensor tensor;
};

/// Writes into `folder`, which is made when it is not there: output_N.npy, output_N.pb or
/// output_N.json each, or all outputs into outputs.npz. Returns each output's file. Throws
/// ErrorCode::write_failed.
std::vector<std::string> write_outputs(const std::string& folder, std::string_view format,
                                       std::span<const Output> outputs);

}  // namespace ortool
