// LoadContext: state shared by the readers of one file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/onnx/read/external_data.hpp"
#include "libcore/onnx/read/limits.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/wire.hpp"

namespace ortool::onnx {

struct LoadContext {
  LoadContext(std::span<const std::byte> file, std::shared_ptr<const void> bytes_owner,
              const std::string& directory, const LoadOptions& load_options);

  WireSource source;
  std::shared_ptr<const void> owner;  ///< keeps the file's bytes
  LoadOptions options;
  LoadBudget budget;
  ExternalFiles external;
  std::vector<std::string> warnings;

  /// Releases the mapped pages of large data of which only the ends were read, since the system
  /// maps surrounding pages too. Includes those back to the previous large data.
  void drop_large(std::span<const std::byte> bytes);

  /// Adds a warning; beyond 50, warnings are only counted.
  void warn(std::string text);
  /// Returns the warnings; the last one counts those omitted.
  std::vector<std::string> take_warnings();

 private:
  std::int64_t warnings_left_out_ = 0;
  std::span<const std::byte> dropped_;
};

/// `error` with `prefix` before message and hint: "tensor 'w': …". `id` is used if the error has
/// none.
Error prefixed(const Error& error, std::string_view prefix, std::string_view id);

/// Reads a key-value entry and counts it against the budget. What two strings cannot represent is
/// stored in `residue`.
std::pair<std::string, std::string> read_entry(LoadContext& context, Message message,
                                               Residue& residue);

/// Converts the notes collected by a message's reader to a pointer; null when there are none.
std::unique_ptr<Notes> to_pointer(LoadContext& context, Notes notes);

}  // namespace ortool::onnx
