// Filling each input from the first source that has it.
#include "apps/ortool/options/input_options.hpp"

#include <map>
#include <optional>

#include "apps/ortool/options/image_config.hpp"
#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/run/random_inputs.hpp"
#include "apps/ortool/run/tensor_file.hpp"
#include "apps/ortool/run/tensor_set.hpp"
#include "apps/ortool/suggest.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

/// Says so when a picture is made to fit without a word of how.
Tensor read_picture(const Invocation& invocation, const std::string& path,
                    const TensorFileOptions& options) {
  const Image image = decode_image(path);
  try {
    Tensor tensor =
        image_to_tensor(image, options.image, options.type.value_or(DataType::undefined),
                        options.dimensions, options.cap);
    const std::int64_t samples = image.width * image.height * image.channels;
    if (!options.image && tensor.element_count() != samples) {
      invocation.warn(
          format("{}: {}x{} pixels of {} channels made {} with samples 0 to 255 "
                 "(--image says how)",
                 path, image.width, image.height, image.channels, tensor.shape().to_string()));
    }
    return tensor;
  } catch (Error& error) {
    throw error.in(path);
  }
}

class InputGatherer {
 public:
  InputGatherer(const Invocation& invocation, const Model& model)
      : invocation_(invocation),
        options_(invocation.options),
        inputs_(model.graph->inputs()),
        names_(names_of(inputs_)) {}

  std::vector<GivenInput> gather();

 private:
  void read_files();
  DataType read_type() const;
  void read_sets();
  void make_random();
  void refuse_missing() const;
  std::map<std::string, Range, std::less<>> read_ranges() const;
  std::map<std::string, ImageOptions, std::less<>> read_recipes() const;
  const Value& value_of(std::string_view name) const;
  void give(std::string_view name, Tensor tensor, std::string source);
  bool is_given(std::string_view name) const { return given_.find(name) != given_.end(); }

  const Invocation& invocation_;
  const OptionValues& options_;
  std::span<Value* const> inputs_;
  std::vector<std::string> names_;
  std::map<std::string, GivenInput, std::less<>> given_;
};

const Value& InputGatherer::value_of(std::string_view name) const {
  for (const Value* input : inputs_) {
    if (input->name() == name) return *input;
  }
  throw Error(ErrorCode::invalid, format("no input {}", quote(name)));
}

void InputGatherer::give(std::string_view name, Tensor tensor, std::string source) {
  if (is_given(name)) {
    throw Error(ErrorCode::invalid, format("input {} is given twice", quote(name)),
                format("it comes from {} and from {}", given_.find(name)->second.source, source))
        .with_id("input.twice");
  }
  given_.emplace(std::string(name),
                 GivenInput{std::string(name), std::move(tensor), std::move(source)});
}

std::map<std::string, ImageOptions, std::less<>> InputGatherer::read_recipes() const {
  std::map<std::string, ImageOptions, std::less<>> recipes;
  for (const std::string& text : options_.all("image")) {
    const NamedValue pair = split_named_value("image", text, names_, "input", "inputs");
    recipes.insert_or_assign(pair.name, parse_image_options(pair.value));
  }
  if (options_.has("image-config")) {
    for (auto& [name, recipe] : read_image_config(options_.text("image-config"), names_)) {
      recipes.emplace(name, std::move(recipe));
    }
  }
  return recipes;
}

void InputGatherer::read_files() {
  auto recipes = read_recipes();
  for (const std::string& text : options_.all("input")) {
    const NamedValue pair = split_named_value("input", text, names_, "input", "inputs");
    const Value& input = value_of(pair.name);
    const auto recipe = recipes.find(pair.name);
    TensorFileOptions file_options = file_options_for(input, invocation_.memory);
    if (options_.has("dtype")) file_options.type = read_type();
    if (recipe != recipes.end()) file_options.image = recipe->second;
    const bool is_picture = is_picture_extension(extension_of(pair.value));
    give(pair.name,
         is_picture ? read_picture(invocation_, pair.value, file_options)
                    : read_tensor_file(pair.value, pair.name, file_options),
         "file " + pair.value);
    if (is_picture && recipe != recipes.end()) recipes.erase(recipe);
  }
  if (recipes.empty()) return;
  throw Error(ErrorCode::invalid,
              format("option --image: input {} is given no picture", quote(recipes.begin()->first)),
              format("add --input {}=FILE.png", recipes.begin()->first))
      .with_id("usage.applies_to_nothing");
}

DataType InputGatherer::read_type() const {
  const std::string text = options_.text("dtype");
  const auto type = data_type_from_name(text);
  if (type) return *type;
  std::vector<std::string> known;
  for (std::int32_t number = 1; number < data_type_count; ++number) {
    known.emplace_back(name_of(static_cast<DataType>(number)));
  }
  throw unknown_name("type", text, "types", known);
}

void InputGatherer::read_sets() {
  for (const char* option : {"inputs", "input-dir"}) {
    if (!options_.has(option)) continue;
    const TensorSet set(options_.text(option), "input");
    set.check_all_known(inputs_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      auto found = set.find(*inputs_[i], i, invocation_.memory);
      if (found) give(inputs_[i]->name(), std::move(found->tensor), "file " + found->source);
    }
  }
}

std::map<std::string, Range, std::less<>> InputGatherer::read_ranges() const {
  std::map<std::string, Range, std::less<>> ranges;
  for (const std::string& text : options_.all("range")) {
    const NamedValue pair = split_named_value("range", text, names_, "input", "inputs");
    const std::vector<std::string> ends = split(pair.value, ':');
    Range range;
    const bool fits = ends.size() == 2 && read_number(ends[0], range.low) &&
                      read_number(ends[1], range.high) && range.low <= range.high &&
                      range.high - range.low < 1e300;
    if (!fits) {
      throw Error(ErrorCode::invalid, format("option --range: {} is no range", quote(pair.value)),
                  format("write it like --range {}=-1:1", pair.name))
          .with_id("usage.value");
    }
    if (is_given(pair.name)) {
      throw Error(ErrorCode::invalid,
                  format("option --range: input {} is not random", quote(pair.name)),
                  "leave --range out for inputs from files")
          .with_id("usage.applies_to_nothing");
    }
    ranges.insert_or_assign(pair.name, range);
  }
  return ranges;
}

void InputGatherer::refuse_missing() const {
  std::vector<std::string> missing;
  for (const Value* input : inputs_) {
    if (!input->has_default() && !is_given(input->name())) missing.emplace_back(input->name());
  }
  if (missing.empty()) return;
  throw Error(ErrorCode::invalid, format("no data for: {}", list_names(missing)),
              format("add --input {}=FILE, or --random to make the rest up", missing.front()))
      .with_id("input.missing");
}

void InputGatherer::make_random() {
  const bool has_wish = options_.flag("random") || options_.has("seed") || options_.has("range");
  const auto ranges = read_ranges();
  if (!given_.empty() && !has_wish) return refuse_missing();

  constexpr std::int64_t most_seed = std::int64_t{1} << 53;
  const auto seed = options_.integer("seed", 0, 0, most_seed);
  SymbolNumbers symbols;
  for (const auto& [name, input] : given_) {
    learn_symbols(value_of(name), input.tensor.shape(), symbols);
  }
  std::vector<std::string> made;
  std::vector<std::string> defaulted;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Value& input = *inputs_[i];
    const auto range = ranges.find(input.name());
    const bool is_wanted = !input.has_default() || range != ranges.end();
    if (!is_wanted || is_given(input.name())) continue;
    Shape shape = complete_shape(input, symbols, defaulted);
    Tensor tensor = random_tensor(
        input, std::move(shape), static_cast<std::uint64_t>(seed), static_cast<std::int64_t>(i),
        range != ranges.end() ? std::optional<Range>(range->second) : std::nullopt,
        invocation_.memory);
    give(input.name(), std::move(tensor), format("random, seed {}", seed));
    made.emplace_back(input.name());
  }
  if (made.empty() && has_wish) {
    throw Error(ErrorCode::invalid, "nothing is left for --random to make up",
                "leave --random, --seed and --range out")
        .with_id("usage.applies_to_nothing");
  }
  if (!made.empty()) {
    invocation_.warn(format("random data with seed {} for: {}", seed, list_names(made)));
  }
  if (!defaulted.empty()) {
    invocation_.warn(format("taken as 1, since not given: {} (--dim and --shape set it)",
                            list_names(defaulted)));
  }
}

std::vector<GivenInput> InputGatherer::gather() {
  read_files();
  read_sets();
  make_random();
  std::vector<GivenInput> result;
  for (const Value* input : inputs_) {
    const auto found = given_.find(input->name());
    if (found != given_.end()) result.push_back(std::move(found->second));
  }
  return result;
}

}  // namespace

OptionGroup input_options() {
  return {"Inputs",
          {
              {.name = "input",
               .value = "NAME=FILE",
               .help = "one input from .npy .npz .pb .json .raw .txt .png .jpg .ppm",
               .repeats = true,
               .completes = Completes::files},
              {.name = "inputs",
               .value = "FILE.npz",
               .help = "several inputs, by their names",
               .completes = Completes::files},
              {.name = "input-dir",
               .value = "DIR",
               .help = "several inputs, from files called input_N or NAME",
               .completes = Completes::folders},
              {.name = "random", .help = "make up what is not given (done when nothing is)"},
              {.name = "seed", .value = "S", .help = "of made-up data (default: 0)"},
              {.name = "range",
               .value = "NAME=LO:HI",
               .help = "range of made-up data",
               .repeats = true},
              {.name = "image",
               .value = "NAME=RECIPE",
               .help = "how a picture becomes the input: resize:256,crop:224,scale:1/255",
               .repeats = true},
              {.name = "image-config",
               .value = "FILE",
               .help = "the same from a JSON file: {NAME: {resize: 256, crop: 224}}",
               .completes = Completes::files},
              {.name = "dtype", .value = "TYPE", .help = "element type of .raw and .json files"},
          }};
}

std::vector<GivenInput> gather_inputs(const Invocation& invocation, const Model& model) {
  return InputGatherer(invocation, model).gather();
}

NamedTensors named_tensors(std::span<const GivenInput> inputs) {
  NamedTensors tensors;
  for (const GivenInput& input : inputs) tensors.emplace_back(input.name, input.tensor);
  return tensors;
}

}  // namespace ortool
