// Writing a model file: streamed, whole or not at all, weights straight from where they lie.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Which tensors go into a file of weights beside the model.
enum class ExternalData {
  automatic,  ///< those that are outside already; all large ones when the file would pass 2 GB
  always,     ///< all large ones
  never,
};

struct SaveOptions {
  ExternalData external_data = ExternalData::automatic;
  /// Tensors below this size stay in the model, whatever `external_data` says.
  std::int64_t external_threshold_bytes = 1024;
  /// What `automatic` takes as too much for one file: protobuf readers stop here.
  std::int64_t most_file_bytes = (std::int64_t{1} << 31) - 1;
  /// The name of the file of weights; empty: made from the model's, with a number where it is
  /// taken.
  std::string external_name;
  /// Asked until the file has its name; null: nothing stops it.
  const StopToken* stop = nullptr;
};

/// Writes `model` to `path`. What was read from a file and is unchanged is written as it was,
/// unknown fields included; nodes stand in the order of the graph. With `automatic`, tensors in a
/// file of weights stay there when `path` lies in the folder that `model` came from; otherwise they
/// are copied to a new file of weights beside `path`. An existing file of weights is never written
/// to. The same model and options give the same bytes (the name of the file of weights aside, which
/// depends on what is there). Returns how many bytes were written, a new file of weights included.
/// Takes memory for the graph's text, never for weights. Throws
/// ErrorCode::write_failed, or ErrorCode::invalid ("save.*") for a model whose weights were not
/// read and for a name that leaves the folder, or the reason to stop; no file is changed or left
/// behind then.
std::int64_t save_model(const Model& model, const std::string& path,
                        const SaveOptions& options = {});

}  // namespace ortool
