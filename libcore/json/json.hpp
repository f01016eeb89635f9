// A JSON value that is built in order and written as valid UTF-8 whatever it holds.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/base/function_ref.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

class MemoryCap;

/// Null, a flag, a number, text, a list or an object that keeps the order of its keys. NaN and
/// infinities become the strings "NaN", "Infinity" and "-Infinity"; bytes that are no UTF-8 become
/// U+FFFD.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool value) : value_(value) {}
  template <std::integral T>
  Json(T value) : value_(whole_number(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}

  static Json list() { return Json(Value(List{})); }
  static Json object() { return Json(Value(Object{})); }
  /// Hands a list's items on, one after the other.
  using Items = std::function<void(FunctionRef<void(const Json&)>)>;
  /// A list whose items are made while it is written, as often as it is, and never held together;
  /// each stands on one line. What `items` refers to must live until then.
  static Json streamed_list(Items items) { return Json(Value(std::move(items))); }
  /// `count` items, where `make` gives one by its position: streamed when they are many. What
  /// `make` refers to must live until the document is written.
  static Json list_from(std::size_t count, std::function<Json(std::size_t)> make);
  /// A list of anything that a Json can be made of.
  template <typename Range>
  static Json list_of(const Range& range) {
    Json result = list();
    for (const auto& item : range) result.add(Json(item));
    return result;
  }

  /// Appends to a list.
  Json& add(Json item);
  /// Appends a key to an object; the caller sees to it that it is new.
  Json& set(std::string_view key, Json value);
  /// The value of a key, or null when there is none or this is no object.
  const Json* find(std::string_view key) const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_flag() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const {
    return std::holds_alternative<std::int64_t>(value_) ||
           std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
  }
  const List& items() const { return std::get<List>(value_); }
  List& items() { return std::get<List>(value_); }
  const Object& members() const { return std::get<Object>(value_); }
  Object& members() { return std::get<Object>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  bool flag() const { return std::get<bool>(value_); }
  double number() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
    if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
    return std::get<double>(value_);
  }

  /// The document, indented by two; lists of plain values stay on one line.
  std::string write() const;
  /// This object and `more` as one document, without copying either.
  void write_with(const Json& more, TextSink& out) const;
  /// On one line.
  std::string write_compact() const;
  void write_compact(TextSink& out) const;

 private:
  /// Unsigned only where a number is above what a signed one holds.
  using Value = CopySafeVariant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                                std::string, List, Object, Items>;
  explicit Json(Value value) : value_(std::move(value)) {}
  template <std::integral T>
  static Value whole_number(T value) {
    if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  }
  static void append_member(TextSink& out, const Object::value_type& member, int depth,
                            bool is_compact);
  bool is_streamed() const { return std::holds_alternative<Items>(value_); }
  bool is_plain() const { return !is_list() && !is_object() && !is_streamed(); }
  void append_plain(TextSink& out) const;
  void append(TextSink& out, int depth, bool is_compact) const;
  void append_streamed(TextSink& out, int depth, bool is_compact) const;

  Value value_;
};

/// Bounds on a document that is read.
struct JsonLimits {
  MemoryCap* cap = nullptr;  ///< counts the memory that reading takes; may be null
  std::int64_t most_values = 10'000'000;
  std::size_t most_levels = 100;
};

/// Null for an empty text.
Json text_or_null(const std::string& text);

/// Reads a JSON document in time O(n log n). Throws ErrorCode::invalid for what is no JSON or
/// beyond the limits, and for a key that stands twice in an object; ErrorCode::memory_limit where
/// the cap is reached. `name` stands for the document in errors.
Json parse_json(std::string_view text, std::string_view name, const JsonLimits& limits = {});

}  // namespace ortool
