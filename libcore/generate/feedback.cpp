// Parser for feedback rules, and their computation.
#include "libcore/generate/feedback.hpp"

#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/generate/cache_names.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The text inside "word(…)".
std::optional<std::string> inside(std::string_view text, std::string_view word) {
  const std::string head = format("{}(", word);
  if (!text.starts_with(head) || !text.ends_with(')')) return std::nullopt;
  return std::string(text.substr(head.size(), text.size() - head.size() - 1));
}

class FeedbackReader {
 public:
  FeedbackReader(const TaskContext& task, const Model& model)
      : task_(task), inputs_(names_of(model.inputs())), outputs_(names_of(model.outputs())) {}

  std::vector<Feedback> read(std::span<const std::string> texts) {
    for (const std::string& text : texts) read_one(text);
    add_usual("attention_mask", {Feedback::Kind::append, "attention_mask", "", 1});
    add_usual("position_ids", {Feedback::Kind::next, "position_ids", "", 0});
    add_usual(std::string(cache_switch), {Feedback::Kind::next, std::string(cache_switch), "", 0});
    return std::move(result_);
  }

 private:
  void add(Feedback feedback) {
    for (const Feedback& other : result_) {
      if (other.input != feedback.input) continue;
      throw Error(
          ErrorCode::invalid,
          format("option {}: input {} is fed twice", setting_name("loop"), quote(feedback.input)),
          "leave one of them out")
          .with_id("usage.value");
    }
    result_.push_back(std::move(feedback));
  }

  void add_usual(const std::string& name, Feedback feedback) {
    const bool is_fed = std::any_of(result_.begin(), result_.end(),
                                    [&](const Feedback& each) { return each.input == name; });
    if (is_fed || !is_among(inputs_, name)) return;
    const std::string_view what = feedback.kind == Feedback::Kind::append
                                      ? "grows by one element 1 in each step"
                                  : name == cache_switch ? "is true from the second step on"
                                                         : "is incremented in each step";
    task_.note(format("{} {} (like {} {}={})", name, what, setting_name("loop"), name,
                      feedback.kind == Feedback::Kind::append ? "append(1)" : "next"));
    result_.push_back(std::move(feedback));
  }

  void read_one(const std::string& text) {
    const std::size_t star = text.find('*');
    if (star != std::string::npos) return read_glob(text);
    const NamedValue pair = split_named_value("loop", text, inputs_, "input", "inputs");
    add(make(pair.name, pair.value));
  }

  Feedback make(const std::string& input, const std::string& value) const {
    if (is_among(outputs_, value)) return {Feedback::Kind::output, input, value, 0};
    if (value == "next") return {Feedback::Kind::next, input, "", 0};
    if (const auto number = inside(value, "append")) {
      std::int64_t appended_number = 0;
      if (read_integer(*number, appended_number)) {
        return {Feedback::Kind::append, input, "", appended_number};
      }
    }
    if (const auto output = inside(value, "argmax")) {
      if (is_among(outputs_, *output)) return {Feedback::Kind::argmax, input, *output, 0};
      throw unknown_name("output", *output, "outputs", outputs_);
    }
    throw unknown_name("output", value, "outputs", outputs_);
  }

  /// "past.*=present.*": the text matched by the first star replaces the second.
  void read_glob(const std::string& text) {
    const std::size_t equals = text.find('=', text.find('*'));
    const std::string pattern = text.substr(0, equals);
    const std::string target = equals == std::string::npos ? "" : text.substr(equals + 1);
    const auto has_one_star = [](const std::string& part) {
      return std::count(part.begin(), part.end(), '*') == 1;
    };
    if (!has_one_star(pattern) || !has_one_star(target)) {
      throw Error(ErrorCode::invalid,
                  format("option {}: {} does not have one * on each side of =",
                         setting_name("loop"), quote(text)),
                  format("write it like {} 'past_key_values.*=present.*'", setting_name("loop")))
          .with_id("usage.value");
    }
    const std::size_t star = pattern.find('*');
    const std::size_t tail = pattern.size() - star - 1;
    bool is_met = false;
    for (const std::string& input : inputs_) {
      if (input.size() + 1 < pattern.size() || !matches_glob(input, pattern)) continue;
      const std::string middle = input.substr(star, input.size() - star - tail);
      std::string output = target;
      output.replace(target.find('*'), 1, middle);
      if (!is_among(outputs_, output)) throw unknown_name("output", output, "outputs", outputs_);
      add({Feedback::Kind::output, input, output, 0});
      is_met = true;
    }
    if (!is_met) throw unknown_name("input", pattern, "inputs", inputs_);
  }

  const TaskContext& task_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<Feedback> result_;
};

std::int64_t last_size(const Tensor& tensor) {
  const std::int64_t rank = tensor.shape().rank();
  return rank == 0 ? 1 : tensor.shape()[rank - 1];
}

Shape with_last(const Shape& shape, std::int64_t last) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  if (!sizes.empty()) sizes.back() = last;
  return Shape(std::move(sizes));
}

void copy_element(const Tensor& from, std::int64_t at, Tensor& to, std::int64_t place) {
  if (is_floating_point(from.type())) {
    set_element(to, place, element_as_double(from, at));
  } else {
    set_element(to, place, element_as_int64(from, at));
  }
}

void refuse_empty(const Tensor& tensor, std::string_view what) {
  if (tensor.element_count() > 0) return;
  throw Error(ErrorCode::invalid, format("{} is empty, so it has no last element", what),
              "the first step needs at least one token")
      .with_id("loop.empty");
}

}  // namespace

std::vector<Feedback> parse_feedback(std::span<const std::string> texts, const Model& model,
                                     const TaskContext& task) {
  return FeedbackReader(task, model).read(texts);
}

std::vector<Feedback> usual_feedback(const Model& model, const TaskContext& task) {
  const std::vector<std::string> inputs = names_of(model.inputs());
  const std::vector<std::string> outputs = names_of(model.outputs());
  if (!is_among(inputs, "input_ids") || !is_among(outputs, "logits")) {
    throw Error(
        ErrorCode::invalid,
        format("option {} auto: the model is not a decoder with input_ids and logits (its "
               "inputs: {}; its outputs: {})",
               setting_name("loop"), list_names(inputs), list_names(outputs)),
        format("write the rules: {} 'past.*=present.*' {} 'ids=argmax(scores)', or name the "
               "decoder of an encoder: {} decoder=FILE",
               setting_name("loop"), setting_name("loop"), setting_name("loop")))
        .with_id("usage.value");
  }
  std::vector<std::string> rules = {"input_ids=argmax(logits)"};
  for (const std::string& input : inputs) {
    const std::string output = is_cache_input(input) ? cache_output_of(input, outputs) : "";
    if (!output.empty()) rules.push_back(format("{}={}", input, output));
  }
  return parse_feedback(rules, model, task);
}

Tensor next_tokens(const Tensor& scores, const Tensor& input) {
  refuse_empty(scores, "the operand of argmax");
  if (!is_arithmetic(scores.type())) {
    throw Error(ErrorCode::invalid, format("argmax of {} elements", name_of(scores.type())))
        .with_id("loop.type");
  }
  const std::int64_t rank = scores.shape().rank();
  const std::int64_t classes = last_size(scores);
  const std::int64_t positions = rank >= 3 ? scores.shape()[rank - 2] : 1;
  const std::int64_t rows = scores.element_count() / (classes * positions);
  Tensor tokens(input.type(), input.shape().rank() < 2 ? Shape{rows} : Shape{rows, 1});
  std::vector<double> values(static_cast<std::size_t>(classes));
  for (std::int64_t row = 0; row < rows; ++row) {
    read_doubles(scores, ((row + 1) * positions - 1) * classes, values);
    // NaN never wins against a number.
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] > values[best] || values[best] != values[best]) best = i;
    }
    set_element(tokens, row, static_cast<std::int64_t>(best));
  }
  return tokens;
}

Tensor appended(const Tensor& input, std::int64_t number) {
  const std::int64_t width = last_size(input);
  const std::int64_t rows =
      input.shape().rank() == 0 ? 1 : input.shape().product(0, input.shape().rank() - 1);
  Tensor result(input.type(), with_last(input.shape(), width + 1));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      copy_element(input, row * width + i, result, row * (width + 1) + i);
    }
    set_element(result, row * (width + 1) + width, number);
  }
  return result;
}

Tensor counted_on(const Tensor& input) {
  refuse_empty(input, "the input to increment");
  const std::int64_t width = last_size(input);
  const std::int64_t rows = input.element_count() / width;
  Tensor result(input.type(), with_last(input.shape(), 1));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t next = element_as_int64(input, row * width + width - 1) + 1;
    set_element(result, row, input.type() == DataType::boolean ? 1 : next);
  }
  return result;
}

}  // namespace ortool
