// JSON writer: shortest exact numbers, escaped text, and a layout for people and for diff.
#include "libcore/json/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "libcore/base/strings/escape.hpp"

namespace ortool {
namespace {

void append_text(TextSink& out, std::string_view text) {
  out += '"';
  for (const char character : valid_utf8(text)) {
    switch (character) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
          constexpr std::string_view digits = "0123456789abcdef";
          const auto byte = static_cast<unsigned char>(character);
          out += "\\u00";
          out += digits[byte >> 4U];
          out += digits[byte & 15U];
        } else {
          out += character;
        }
    }
  }
  out += '"';
}

template <typename Number>
void append_number(TextSink& out, Number value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out += std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void append_double(TextSink& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    append_number(out, value);
  }
}

void append_line(TextSink& out, int level) {
  out += '\n';
  for (int i = 0; i < level; ++i) out += "  ";
}

}  // namespace

Json Json::list_from(std::size_t count, std::function<Json(std::size_t)> make) {
  constexpr std::size_t max_held = 1000;
  if (count > max_held) {
    return streamed_list([count, make = std::move(make)](FunctionRef<void(const Json&)> emit) {
      for (std::size_t i = 0; i < count; ++i) emit(make(i));
    });
  }
  Json result = list();
  for (std::size_t i = 0; i < count; ++i) result.add(make(i));
  return result;
}

Json& Json::add(Json item) {
  items().push_back(std::move(item));
  return *this;
}

Json& Json::set(std::string_view key, Json value) {
  members().emplace_back(std::string(key), std::move(value));
  return *this;
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, value] : members()) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Json::append_plain(TextSink& out) const {
  if (is_null()) {
    out += "null";
  } else if (is_flag()) {
    out += flag() ? "true" : "false";
  } else if (is_text()) {
    append_text(out, text());
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    append_number(out, *integer);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
    append_number(out, *large);
  } else {
    append_double(out, std::get<double>(value_));
  }
}

void Json::append_member(TextSink& out, const Object::value_type& member, int depth,
                         bool is_compact) {
  append_text(out, member.first);
  out += ": ";
  member.second.append(out, depth, is_compact);
}

void Json::append(TextSink& out, int depth, bool is_compact) const {
  if (is_plain()) return append_plain(out);
  if (is_streamed()) return append_streamed(out, depth, is_compact);
  bool on_one_line = is_compact;
  std::size_t count = 0;
  if (is_list()) {
    count = items().size();
    bool all_plain = true;
    for (const Json& item : items()) all_plain = all_plain && item.is_plain();
    on_one_line = on_one_line || all_plain;
  } else {
    count = members().size();
  }
  const auto start_line = [&](int level) {
    if (on_one_line || count == 0) return;
    append_line(out, level);
  };
  out += is_list() ? '[' : '{';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += on_one_line ? ", " : ",";
    start_line(depth + 1);
    if (is_list()) {
      items()[i].append(out, depth + 1, is_compact);
    } else {
      append_member(out, members()[i], depth + 1, is_compact);
    }
  }
  start_line(depth);
  out += is_list() ? ']' : '}';
}

void Json::append_streamed(TextSink& out, int depth, bool is_compact) const {
  bool is_first = true;
  out += '[';
  std::get<Items>(value_)([&](const Json& item) {
    if (!is_first) out += is_compact ? ", " : ",";
    if (!is_compact) append_line(out, depth + 1);
    item.append(out, depth + 1, true);
    is_first = false;
  });
  if (!is_first && !is_compact) append_line(out, depth);
  out += ']';
}

std::string Json::write() const {
  StringSink out;
  append(out, 0, false);
  out += '\n';
  return out.take();
}

void Json::write_with(const Json& more, TextSink& out) const {
  bool is_first = true;
  for (const Json* object : {this, &more}) {
    for (const auto& member : object->members()) {
      out += is_first ? "{\n  " : ",\n  ";
      append_member(out, member, 1, false);
      is_first = false;
    }
  }
  out += is_first ? "{}\n" : "\n}\n";
}

std::string Json::write_compact() const {
  StringSink out;
  append(out, 0, true);
  return out.take();
}

void Json::write_compact(TextSink& out) const {
  append(out, 0, true);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace ortool
