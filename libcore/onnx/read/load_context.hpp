// What the readers of one file's parts share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
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

  /// Lets the pages of many bytes go, of which only the ends were looked at: the system maps a run
  /// of pages around each. Those back to the many bytes before go too.
  void drop_large(std::span<const std::byte> bytes);

  /// Adds a warning; past 50 they are only counted.
  void warn(std::string text);
  /// The warnings, with a last one that counts those left out.
  std::vector<std::string> take_warnings();

 private:
  std::int64_t warnings_left_out_ = 0;
  std::span<const std::byte> dropped_;
};

/// The message and hint of `error` with `prefix` in front: "tensor 'w': …". `id` stands in where
/// the error has none.
Error prefixed(const Error& error, std::string_view prefix, std::string_view id);

/// A key and value pair, counted against the budget. What two strings cannot hold of it goes to
/// `residue`.
std::pair<std::string, std::string> read_entry(LoadContext& context, Message message,
                                               Residue& residue);

/// The texts and leftovers of a message as its reader gathers them; null when there are none.
std::unique_ptr<Notes> to_pointer(LoadContext& context, Notes notes);

}  // namespace ortool::onnx
