// Parses nested JSON arrays to a tensor, by SAX events and without recursion.
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Json = nlohmann::json;

/// Collects elements and checks that all arrays of a level have the same length.
class Collector : public nlohmann::json_sax<Json> {
 public:
  explicit Collector(MemoryCap* cap) : cap_(cap) {}
  ~Collector() override {
    if (cap_ != nullptr) cap_->give_back(taken_bytes_);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override {
    has_bools_ = true;
    return add({.integer = value ? 1 : 0, .is_integer = true});
  }
  bool number_integer(number_integer_t value) override {
    has_numbers_ = true;
    return add({.integer = value, .is_integer = true});
  }
  bool number_unsigned(number_unsigned_t value) override {
    has_numbers_ = true;
    if (value > std::numeric_limits<std::int64_t>::max()) has_large_ = true;
    return add({.integer = static_cast<std::int64_t>(value), .is_integer = true});
  }
  bool number_float(number_float_t value, const string_t&) override {
    has_numbers_ = true;
    has_fractions_ = true;
    return add({.number = value});
  }
  bool string(string_t& value) override {
    has_strings_ = true;
    charge(static_cast<std::int64_t>(sizeof(std::string) + value.size()));
    strings_.push_back(std::move(value));
    return add({.integer = static_cast<std::int64_t>(strings_.size()) - 1, .is_string = true});
  }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_object(std::size_t) override { return refuse("an object"); }
  bool key(string_t&) override { return false; }
  bool end_object() override { return false; }

  bool start_array(std::size_t) override {
    if (!count_item(false)) return false;
    if (static_cast<std::int64_t>(open_.size()) >= Shape::max_dimensions)
      return fail(format("arrays are nested deeper than {}", Shape::max_dimensions));
    open_.push_back(0);
    if (sizes_.size() < open_.size()) {
      if (leaf_depth_ >= 0) return fail("numbers and arrays are mixed");
      sizes_.push_back(-1);
    }
    return true;
  }

  bool end_array() override {
    const std::size_t level = open_.size() - 1;
    std::int64_t& size = sizes_[level];
    if (size < 0) size = open_.back();
    if (size != open_.back()) {
      return fail(format("arrays at the same depth have {} and {} elements", size, open_.back()));
    }
    open_.pop_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return fail(format("it is not valid JSON at byte {}", position));
  }

  [[noreturn]] void throw_problem() const {
    throw Error(ErrorCode::invalid, "the JSON file does not hold a tensor: " + problem_,
                "give nested arrays of numbers, such as [[1, 2], [3, 4]]");
  }

  Tensor make(std::optional<DataType> type) {
    const DataType made = type.value_or(natural_type());
    Shape shape(std::vector<std::int64_t>(sizes_.begin(), sizes_.end()));
    ORTOOL_CHECK(shape.element_count() == static_cast<std::int64_t>(elements_.size()));
    if (made == DataType::string) return make_strings(std::move(shape));
    if (!is_arithmetic(made)) {
      throw Error(ErrorCode::unsupported,
                  format("a tensor of type {} cannot be read from JSON", name_of(made)),
                  "give it as .npy or .pb");
    }
    Tensor result(made, std::move(shape), cap_);
    if (is_packed(made) && result.size_bytes() > 0)
      result.mutable_bytes()[result.size_bytes() - 1] = std::byte{0};
    for (std::size_t i = 0; i < elements_.size(); ++i)
      set(result, static_cast<std::int64_t>(i), elements_[i]);
    return result;
  }

 private:
  struct Element {
    std::int64_t integer = 0;  ///< for a string: its index among the strings
    double number = 0;
    bool is_integer = false;
    bool is_string = false;
  };

  bool fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  bool refuse(std::string_view what) { return fail(format("it contains {}", what)); }

  bool count_item(bool is_leaf) {
    if (!open_.empty()) ++open_.back();
    const auto depth = static_cast<std::int64_t>(open_.size());
    if (is_leaf && leaf_depth_ < 0) leaf_depth_ = depth;
    const bool is_even = is_leaf ? depth == leaf_depth_ && sizes_.size() == open_.size()
                                 : leaf_depth_ < 0 || depth < leaf_depth_;
    return is_even || fail("numbers and arrays are mixed");
  }

  bool add(Element element) {
    if (!count_item(true)) return false;
    charge(sizeof(Element));
    elements_.push_back(element);
    return true;
  }

  static std::optional<double> special(const std::string& text) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "Infinity") return infinity;
    if (text == "-inf" || text == "-Infinity") return -infinity;
    return std::nullopt;
  }

  DataType natural_type() const {
    if (has_strings_ && !has_numbers_ && !has_bools_) return DataType::string;
    if (has_bools_ && !has_numbers_ && !has_strings_) return DataType::boolean;
    if (has_large_ && !has_fractions_) return DataType::uint64;
    return has_fractions_ || has_strings_ || !has_numbers_ ? DataType::float32 : DataType::int64;
  }

  Tensor make_strings(Shape shape) {
    if (strings_.size() != elements_.size()) {
      problem_ = "it mixes strings with other values";
      throw_problem();
    }
    return Tensor::of_strings(std::move(shape), std::move(strings_));
  }

  void set(Tensor& tensor, std::int64_t index, const Element& element) {
    if (element.is_string) {
      const std::string& text = strings_[static_cast<std::size_t>(element.integer)];
      const auto value = special(text);
      if (!value || !is_floating_point(tensor.type())) {
        problem_ = format("{} is not an element of type {}", quote(text), name_of(tensor.type()));
        throw_problem();
      }
      set_element(tensor, index, *value);
    } else if (element.is_integer) {
      check_range(tensor.type(), element.integer);
      set_element(tensor, index, element.integer);
    } else if (is_floating_point(tensor.type())) {
      set_element(tensor, index, element.number);
    } else {
      problem_ = format("{} is not an element of type {}", element.number, name_of(tensor.type()));
      throw_problem();
    }
  }

  void check_range(DataType type, std::int64_t value) {
    if (!is_integer(type) || element_bits(type) == 64) return;
    const int bits = element_bits(type) - (is_signed_integer(type) ? 1 : 0);
    const std::int64_t high = (std::int64_t{1} << bits) - 1;
    const std::int64_t low = is_signed_integer(type) ? -high - 1 : 0;
    if (value >= low && value <= high) return;
    problem_ = format("{} is not an element of type {}", value, name_of(type));
    throw_problem();
  }

  /// Reserves memory from the cap in steps; a growing vector needs up to three times its size.
  void charge(std::int64_t bytes) {
    constexpr std::int64_t step_bytes = 1 << 20;
    used_bytes_ += 3 * bytes;
    if (cap_ == nullptr || used_bytes_ <= taken_bytes_) return;
    const std::int64_t more = used_bytes_ - taken_bytes_ + step_bytes;
    cap_->take(more, "reading a JSON document");
    taken_bytes_ += more;
  }

  MemoryCap* cap_;
  std::int64_t used_bytes_ = 0;
  std::int64_t taken_bytes_ = 0;
  std::vector<std::int64_t> open_;   ///< number of items in each open array
  std::vector<std::int64_t> sizes_;  ///< of each level, -1 until its first array ends
  std::int64_t leaf_depth_ = -1;
  std::vector<Element> elements_;
  std::vector<std::string> strings_;
  bool has_bools_ = false;
  bool has_numbers_ = false;
  bool has_fractions_ = false;
  bool has_large_ = false;
  bool has_strings_ = false;
  std::string problem_;
};

}  // namespace

Tensor parse_json_tensor(std::string_view text, std::optional<DataType> type, MemoryCap* cap) {
  Collector collector(cap);
  if (!Json::sax_parse(text.begin(), text.end(), &collector)) collector.throw_problem();
  return collector.make(type);
}

}  // namespace ortool
