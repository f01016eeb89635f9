// Input options: fills each input from the first source that has it.
#include "apps/ortool/options/input_options.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "apps/ortool/options/image_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/random_sizes.hpp"
#include "apps/ortool/options/unnamed_inputs.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/sound_config.hpp"
#include "libcore/dataset/values/cast_value.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/io/image_orientation.hpp"
#include "libcore/io/log_mel.hpp"
#include "libcore/io/wav.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Reads an image; warns when it is converted without a recipe. `warning` is about its values.
Tensor read_picture(const Invocation& invocation, const OpenValueFile& file,
                    const TensorFileOptions& options, const std::string& warning) {
  const std::string path = file.path == "-" ? "standard input" : file.path;
  try {
    const Image image = decode_upright_image(file.bytes, options.cap);
    Tensor tensor =
        image_to_tensor(image, options.image, options.type.value_or(DataType::undefined),
                        options.dimensions, options.cap);
    const std::int64_t samples = image.width * image.height * image.channels;
    if (!warning.empty()) {
      invocation.warn(format("{}: {}", path, warning));
    } else if (!options.image && tensor.element_count() != samples) {
      invocation.warn(
          format("{}: {}x{} pixels of {} channels converted to {} with values 0 to 255 (--image "
                 "sets the preprocessing)",
                 path, image.width, image.height, image.channels, tensor.shape().to_string()));
    }
    return tensor;
  } catch (Error& error) {
    throw error.in(path);
  }
}

class InputGatherer {
 public:
  InputGatherer(const Invocation& invocation, const Model& model,
                std::span<const std::string> later, std::span<const std::string> files)
      : invocation_(invocation),
        options_(invocation.options),
        model_(model),
        inputs_(model.inputs()),
        names_(names_of(inputs_)),
        later_(later),
        files_(files) {}

  std::vector<GivenInput> gather();

 private:
  void read_files();
  void read_file(const NamedValue& pair, ImageRecipes& recipes);
  RunValue read_features(const std::string& path, const OpenValueFile& file,
                         const SoundConfig& config, const Value& input) const;
  void claim_standard_input();
  DataType read_type() const;
  void read_sets();
  void read_set(const std::string& path);
  void make_random();
  /// Adds sizes for generated inputs where 1 is too small.
  void add_sizes(SymbolSizes& symbols) const;
  void refuse_missing() const;
  std::map<std::string, RandomRange, std::less<>> read_ranges() const;
  const Value& value_of(std::string_view name) const;
  void give(std::string_view name, RunValue value, std::string source);
  /// Whether it needs no data: it has a default, or gets its value later.
  bool can_wait(const Value& input) const {
    return input.has_default() ||
           std::find(later_.begin(), later_.end(), input.name()) != later_.end();
  }
  bool is_given(std::string_view name) const { return given_.find(name) != given_.end(); }

  const Invocation& invocation_;
  const OptionValues& options_;
  const Model& model_;
  std::span<Value* const> inputs_;
  std::vector<std::string> names_;
  std::span<const std::string> later_;
  std::span<const std::string> files_;
  std::map<std::string, GivenInput, std::less<>> given_;
  bool has_standard_input_ = false;
};

const Value& InputGatherer::value_of(std::string_view name) const {
  for (const Value* input : inputs_) {
    if (input->name() == name) return *input;
  }
  throw Error(ErrorCode::invalid, format("no input {}", quote(name)));
}

void InputGatherer::give(std::string_view name, RunValue value, std::string source) {
  if (is_given(name)) {
    throw Error(ErrorCode::invalid, format("input {} is given twice", quote(name)),
                format("it is given by {} and by {}", given_.find(name)->second.source, source))
        .with_id("input.twice");
  }
  if (options_.flag("cast")) {
    const DataType before = value.is_tensor() ? value.tensor().type() : DataType::undefined;
    const std::string warning = cast_value(name, value_of(name).type(), value, invocation_.memory);
    if (!warning.empty()) invocation_.warn(warning);
    if (value.is_tensor() && value.tensor().type() != before)
      source += format(", cast from {}", name_of(before));
  }
  given_.emplace(std::string(name),
                 GivenInput{std::string(name), std::move(value), std::move(source)});
}

RunValue InputGatherer::read_features(const std::string& path, const OpenValueFile& file,
                                      const SoundConfig& config, const Value& input) const {
  try {
    const WavFile sound = open_wav(file.bytes);
    const bool is_cut = sound.frames > config.options.samples;
    invocation_.note(format(
        "{}: {}, as the log-mel spectrogram of {}{}", path, sound.describe(), config.source,
        is_cut ? format(" (the first {} s)", config.options.samples / config.options.sample_rate)
               : ""));
    const Tensor features = log_mel_spectrogram(sound, config.options, &invocation_.memory);
    return convert(features, input.type().element, {}, &invocation_.memory);
  } catch (Error& error) {
    throw error.in(path);
  }
}

void InputGatherer::read_file(const NamedValue& pair, ImageRecipes& recipes) {
  const Value& input = value_of(pair.name);
  const auto recipe = recipes.find(pair.name);
  ValueFileOptions file_options = file_options_for(input.type(), invocation_.memory);
  file_options.feeds_input = !options_.flag("cast");
  if (options_.has("dtype")) file_options.type = read_type();
  if (recipe != recipes.end()) file_options.image = recipe->second;
  if (pair.value == "-") claim_standard_input();
  const OpenValueFile file = open_value_file(pair.value, invocation_.memory);
  const std::string source = pair.value == "-" ? "standard input" : "file " + pair.value;
  if (file.extension == ".wav") {
    if (const auto config = find_sound_config(model_, input))
      return give(pair.name, read_features(pair.value, file, *config, input), source);
  }
  if (!is_image_extension(file.extension)) {
    RunValue value = read_value_file(file, input.type(), pair.name, file_options);
    if (file.extension == ".wav")
      invocation_.note(format("{}: {}, as it is", pair.value, open_wav(file.bytes).describe()));
    return give(pair.name, std::move(value), source);
  }
  give(pair.name,
       read_picture(invocation_, file, file_options, image_warning(model_, input, recipes)),
       source);
  if (recipe != recipes.end()) recipes.erase(recipe);
}

void InputGatherer::read_files() {
  ImageRecipes recipes = read_image_recipes(invocation_, model_);
  for (const NamedValue& pair : name_input_files(options_, inputs_, files_)) {
    read_file(pair, recipes);
  }
  if (recipes.empty()) return;
  throw applies_to_nothing(
      format("option --image: input {} is not given an image", quote(recipes.begin()->first)),
      format("add --input {}=FILE.png", recipes.begin()->first));
}

/// Only one of the model and the inputs can come from standard input.
void InputGatherer::claim_standard_input() {
  const bool is_model = invocation_.arguments.front() == "-";
  if (!is_model && !has_standard_input_) {
    has_standard_input_ = true;
    return;
  }
  throw Error(ErrorCode::invalid, "standard input is read twice",
              is_model ? "the model comes from it; give the input as a file"
                       : "only one input can come from it")
      .with_id("input.stream");
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

void InputGatherer::read_set(const std::string& path) {
  const ValueSet set(path, "input", options_.flag("cast"));
  set.check_all_known(inputs_);
  const auto positions = input_positions(inputs_);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    auto found = set.find(*inputs_[i], positions[i], invocation_.memory);
    if (found) give(inputs_[i]->name(), std::move(found->value), "file " + found->source);
  }
}

void InputGatherer::read_sets() {
  for (const char* option : {"inputs", "input-dir"}) {
    if (options_.has(option)) read_set(options_.text(option));
  }
  for (const std::string& file : files_) {
    if (is_value_set(file, inputs_)) read_set(file);
  }
}

std::map<std::string, RandomRange, std::less<>> InputGatherer::read_ranges() const {
  auto ranges = read_random_ranges(options_, inputs_);
  for (const auto& [name, range] : ranges) {
    if (!is_given(name)) continue;
    throw applies_to_nothing(format("option --range: input {} is not random", quote(name)),
                             "leave --range out for inputs from files");
  }
  return ranges;
}

void InputGatherer::refuse_missing() const {
  std::vector<std::string> missing;
  for (const Value* input : inputs_) {
    if (!can_wait(*input) && !is_given(input->name())) missing.emplace_back(input->name());
  }
  if (missing.empty()) return;
  throw Error(ErrorCode::invalid, format("no data for: {}", list_names(missing)),
              format("add --input {}=FILE, or --random to generate the rest", missing.front()))
      .with_id("input.missing");
}

void InputGatherer::add_sizes(SymbolSizes& symbols) const {
  const bool makes_any = std::any_of(inputs_.begin(), inputs_.end(), [&](const Value* input) {
    return !can_wait(*input) && !is_given(input->name());
  });
  // Inputs fed by a loop have their own sizes.
  if (!makes_any || !later_.empty()) return;
  InputSizes given = symbols;
  for (const auto& [name, input] : given_) {
    const Value& declared = value_of(name);
    if (!input.value.is_tensor() || !declared.type().shape) continue;
    const Shape& shape = input.value.tensor().shape();
    const auto rank = std::min<std::int64_t>(
        shape.rank(), static_cast<std::int64_t>(declared.type().shape->size()));
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::string free = free_dimension_name(declared, static_cast<std::size_t>(i));
      if (!free.empty()) given.emplace(free, shape[i]);
    }
  }
  for (const auto& [name, size] : choose_sizes(invocation_, model_, given))
    symbols.emplace(name, size);
}

void InputGatherer::make_random() {
  const bool has_wish = options_.flag("random") || options_.has("seed") || options_.has("range");
  const auto ranges = read_ranges();
  if (!given_.empty() && !has_wish) return refuse_missing();

  const std::int64_t seed = options_.integer("seed", 0);
  SymbolSizes symbols;
  for (const auto& [name, input] : given_) {
    if (input.value.is_tensor()) {
      learn_symbols(value_of(name), input.value.tensor().shape(), symbols);
    }
  }
  add_sizes(symbols);
  std::vector<std::string> made;
  std::vector<std::string> defaulted;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Value& input = *inputs_[i];
    const auto range = ranges.find(input.name());
    const bool is_wanted = !can_wait(input) || range != ranges.end();
    if (!is_wanted || is_given(input.name())) continue;
    RunValue value = random_value(
        input, symbols, defaulted, static_cast<std::uint64_t>(seed), static_cast<std::int64_t>(i),
        range != ranges.end() ? std::optional<RandomRange>(range->second) : std::nullopt,
        invocation_.memory);
    give(input.name(), std::move(value), format("random, seed {}", seed));
    made.emplace_back(input.name());
  }
  if (made.empty() && has_wish) {
    throw applies_to_nothing("--random has nothing left to generate",
                             "leave --random, --seed and --range out");
  }
  if (!made.empty()) {
    invocation_.note(format("random inputs, seed {}: {}", seed, list_names(made)));
  }
  if (!defaulted.empty()) {
    invocation_.note(format("dimensions set to 1, since not given: {} (--dim and --shape set them)",
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

OptionSpec seed_option() {
  return {.name = "seed",
          .value = "S",
          .help = "seed of random data (default: 0)",
          .range = whole_from(0, 0x1p52)};
}

OptionSpec range_option() {
  return {.name = "range",
          .value = "NAME=LO:HI",
          .help = "range of random data",
          .repeats = true,
          .completes = Completion::inputs};
}

ArgumentSpec input_files_argument() {
  return {.name = "INPUT",
          .help = "files for the model's inputs, in order (see --input)",
          .is_required = false,
          .repeats = true};
}

OptionGroup input_options() {
  return {"Inputs",
          {
              {.name = "input",
               .value = "[NAME=]FILE",
               .help = "one input: .npy .npz .pb .json .raw .txt .wav or an image; - is stdin",
               .repeats = true,
               .completes = Completion::inputs},
              {.name = "inputs",
               .value = "FILE.npz",
               .help = "several inputs by name",
               .completes = Completion::files},
              {.name = "input-dir",
               .value = "DIR",
               .help = "several inputs, from files named input_N or NAME",
               .completes = Completion::folders},
              {.name = "random",
               .help = "generate the inputs that are not given (the default if none is)"},
              seed_option(),
              range_option(),
              image_option(),
              image_config_option(),
              {.name = "dtype", .value = "TYPE", .help = "element type of .raw and .json files"},
              {.name = "cast", .help = "convert inputs to the element types that the model takes"},
          }};
}

std::vector<GivenInput> gather_inputs(const Invocation& invocation, const Model& model,
                                      std::span<const std::string> later,
                                      std::span<const std::string> files) {
  return InputGatherer(invocation, model, later, files).gather();
}

std::map<std::string, RandomRange, std::less<>> read_random_ranges(const OptionValues& options,
                                                                   std::span<Value* const> inputs) {
  std::map<std::string, RandomRange, std::less<>> ranges;
  for (const std::string& text : options.all("range")) {
    const NamedValue pair = split_input_value("range", text, inputs);
    const std::vector<std::string> ends = split(pair.value, ':');
    RandomRange range;
    const bool fits = ends.size() == 2 && read_number(ends[0], range.low) &&
                      read_number(ends[1], range.high) && range.low <= range.high &&
                      range.high - range.low < 1e300;
    if (!fits) {
      throw Error(ErrorCode::invalid,
                  format("option --range: {} is not a range", quote(pair.value)),
                  format("write it like --range {}=-1:1", pair.name))
          .with_id("usage.value");
    }
    ranges.insert_or_assign(pair.name, range);
  }
  return ranges;
}

}  // namespace ortool
