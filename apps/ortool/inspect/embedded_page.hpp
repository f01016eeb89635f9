// The page of inspect --format html, built into the program from the files in html/.
#pragma once

#include <string_view>

namespace ortool {

/// HTML with @TITLE@, @STYLE@, @SCRIPT@, @STYLE_HASH@, @SCRIPT_HASH@ and @DATA@, each once. Defined
/// in a file that CMake writes, as the other two.
extern const std::string_view page_template;
extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace ortool
