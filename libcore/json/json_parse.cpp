// JSON parser on top of nlohmann's SAX interface, with limits on depth and count.
#include <algorithm>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

/// Memory of a member while its list or object grows: the old storage next to the new one of twice
/// the capacity.
constexpr std::int64_t bytes_a_value = 3 * sizeof(Json::Object::value_type);

/// Builds values from SAX events. nlohmann's own ordered tree searches all previous keys for each
/// new one; here the sorted keys are compared once when their object ends.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using TakeItem = FunctionRef<void(const std::string& key, Json item)>;

  /// `take_item` may be null: all items are kept.
  explicit Builder(const JsonLimits& limits, const TakeItem* take_item = nullptr)
      : limits_(limits), take_item_(take_item) {}
  ~Builder() override {
    if (limits_.cap != nullptr) limits_.cap->give_back(taken_bytes_);
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override {
    charge(static_cast<std::int64_t>(value.size()));
    return add(Json(std::move(value)));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::list()); }
  bool key(string_t& name) override {
    charge(static_cast<std::int64_t>(name.size()));
    keys_.push_back(std::move(name));
    return true;
  }
  bool end_object() override {
    check_keys(open_.back());
    return close();
  }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    std::string_view what = error.what();
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    throw Error(ErrorCode::invalid, format("is not valid JSON: {}", what),
                "JSON needs double quotes around keys and text, and no comma after the last item");
  }

  Json take() { return std::move(root_); }

 private:
  void charge(std::int64_t bytes) {
    constexpr std::int64_t step_bytes = 1 << 20;
    used_bytes_ += bytes;
    if (limits_.cap == nullptr || used_bytes_ <= taken_bytes_) return;
    const std::int64_t more = used_bytes_ - taken_bytes_ + step_bytes;
    limits_.cap->take(more, "reading a JSON document");
    taken_bytes_ += more;
  }

  bool open(Json container) {
    if (open_.size() >= limits_.max_depth) {
      throw Error(ErrorCode::invalid,
                  format("is nested too deeply: more than {} levels", limits_.max_depth));
    }
    open_.push_back(std::move(container));
    if (open_.size() == 2) {
      kept_count_ = value_count_;
      kept_bytes_ = used_bytes_;
      taken_items_ = 0;
    }
    return true;
  }

  bool close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(Json value) {
    if (++value_count_ > limits_.max_values) {
      throw Error(ErrorCode::invalid,
                  format("holds more than {} values, the most that a JSON document may",
                         limits_.max_values),
                  "split it, or give numbers as .npy or .npz");
    }
    charge(bytes_a_value);
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (take_item_ != nullptr && open_.size() == 2 && open_[0].is_object() &&
               open_[1].is_list()) {
      (*take_item_)(keys_.back(), std::move(value));
      ++taken_items_;
      value_count_ = kept_count_;
      used_bytes_ = kept_bytes_;
    } else if (open_.back().is_list()) {
      open_.back().add(std::move(value));
    } else {
      open_.back().members().emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    }
    return true;
  }

  void check_keys(const Json& object) const {
    const Json::Object& members = object.members();
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key_of = [&](std::size_t i) -> const std::string& { return members[i].first; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return key_of(a) < key_of(b); });
    const auto twice =
        std::adjacent_find(order.begin(), order.end(),
                           [&](std::size_t a, std::size_t b) { return key_of(a) == key_of(b); });
    if (twice == order.end()) return;
    throw Error(ErrorCode::invalid,
                format("{} has the key {} twice", place(), quote(key_of(*twice))),
                "remove one of the two");
  }

  /// The path of the object that ends: "samples[3].inputs".
  std::string place() const {
    std::string path;
    std::size_t key = 0;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (open_[i].is_list()) {
        path += format("[{}]",
                       i == 1 ? open_[i].items().size() + taken_items_ : open_[i].items().size());
      } else {
        path += (path.empty() ? "" : ".") + keys_[key++];
      }
    }
    return path.empty() ? "the document" : quote(path);
  }

  const JsonLimits& limits_;
  const TakeItem* take_item_;
  std::int64_t kept_count_ = 0;  ///< values when the outermost list or member began
  std::int64_t kept_bytes_ = 0;
  std::size_t taken_items_ = 0;  ///< of the outermost list
  std::int64_t used_bytes_ = 0;
  std::int64_t taken_bytes_ = 0;
  std::int64_t value_count_ = 0;
  Json root_;
  std::vector<Json> open_;         ///< open lists and objects, outermost first
  std::vector<std::string> keys_;  ///< for values in `open_` that are members of an object
};

}  // namespace

Json parse_json(std::string_view text, std::string_view name, const JsonLimits& limits) {
  try {
    Builder builder(limits);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
  } catch (Error& error) {
    throw error.in(name);
  }
}

Json parse_json_items(std::string_view text, std::string_view name, const JsonLimits& limits,
                      FunctionRef<void(const std::string& key, Json item)> take_item) {
  try {
    Builder builder(limits, &take_item);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
  } catch (Error& error) {
    throw error.in(name);
  }
}

}  // namespace ortool
