// Text table with aligned columns, for terminals.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/strings/readable_number.hpp"

namespace ortool {

/// Rows are added cell by cell; cells are made printable. Columns are two spaces apart; the last
/// one is not padded.
class TextTable {
 public:
  enum class Align { left, right };

  /// Alignment of each column; columns past the end are left-aligned.
  explicit TextTable(std::vector<Align> alignment = {}) : alignment_(std::move(alignment)) {}

  void add_row(std::vector<std::string> cells);
  bool is_empty() const { return rows_.empty(); }
  /// Every line begins with `indent` spaces and ends with a line feed.
  std::string to_string(std::size_t indent = 0) const;

 private:
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ortool
