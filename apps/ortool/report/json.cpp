// Writing JSON: numbers shortest and exact, text escaped, layout for people and for diff.
#include "apps/ortool/report/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "apps/ortool/report/escape.hpp"

namespace ortool {
namespace {

void append_text(std::string& out, std::string_view text) {
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
void append_number(std::string& out, Number value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

void append_double(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    append_number(out, value);
  }
}

}  // namespace

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

void Json::append_plain(std::string& out) const {
  if (is_null()) {
    out += "null";
  } else if (is_flag()) {
    out += flag() ? "true" : "false";
  } else if (is_text()) {
    append_text(out, text());
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    append_number(out, *integer);
  } else {
    append_double(out, std::get<double>(value_));
  }
}

void Json::append_member(std::string& out, const Object::value_type& member, int depth,
                         bool is_compact) {
  append_text(out, member.first);
  out += ": ";
  member.second.append(out, depth, is_compact);
}

void Json::append(std::string& out, int depth, bool is_compact) const {
  if (is_plain()) return append_plain(out);
  if (const auto* rendered = std::get_if<Rendered>(&value_)) {
    out += rendered->text;
    return;
  }
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
    out += '\n';
    out.append(static_cast<std::size_t>(level) * 2, ' ');
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

std::string Json::write() const {
  std::string out;
  append(out, 0, false);
  out += '\n';
  return out;
}

std::string Json::write_with(const Json& more) const {
  std::string out;
  for (const Json* object : {this, &more}) {
    for (const auto& member : object->members()) {
      out += out.empty() ? "{\n  " : ",\n  ";
      append_member(out, member, 1, false);
    }
  }
  return out + "\n}\n";
}

std::string Json::write_compact() const {
  std::string out;
  append(out, 0, true);
  return out;
}

}  // namespace ortool
