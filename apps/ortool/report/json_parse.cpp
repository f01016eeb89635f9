// Reading JSON documents that users give, such as --config files.
#include <nlohmann/json.hpp>

#include "apps/ortool/report/json.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr int most_nesting = 100;

Json convert(const nlohmann::ordered_json& value) {
  switch (value.type()) {
    case nlohmann::ordered_json::value_t::boolean:
      return Json(value.get<bool>());
    case nlohmann::ordered_json::value_t::number_integer:
    case nlohmann::ordered_json::value_t::number_unsigned:
      return Json(value.get<std::int64_t>());
    case nlohmann::ordered_json::value_t::number_float:
      return Json(value.get<double>());
    case nlohmann::ordered_json::value_t::string:
      return Json(value.get<std::string>());
    case nlohmann::ordered_json::value_t::array: {
      Json list = Json::list();
      for (const auto& item : value) list.add(convert(item));
      return list;
    }
    case nlohmann::ordered_json::value_t::object: {
      Json object = Json::object();
      for (const auto& [key, item] : value.items()) object.set(key, convert(item));
      return object;
    }
    default:
      return Json();
  }
}

}  // namespace

Json parse_json(std::string_view text, std::string_view name) {
  try {
    const auto check_depth = [](int depth, nlohmann::ordered_json::parse_event_t, auto&) {
      if (depth > most_nesting) throw Error(ErrorCode::invalid, "is nested too deeply");
      return true;
    };
    return convert(nlohmann::ordered_json::parse(text, check_depth));
  } catch (Error& error) {
    throw error.in(name);
  } catch (const nlohmann::json::exception& error) {
    std::string_view what = error.what();
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    throw Error(ErrorCode::invalid, format("is no valid JSON: {}", what),
                "JSON needs double quotes around keys and text, and no comma after the last item")
        .in(name);
  }
}

}  // namespace ortool
