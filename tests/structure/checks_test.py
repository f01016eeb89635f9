# Tests of the checks: plants one violation of each rule in a small tree and expects the checks to report it.
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import check_captures
import check_documents
import check_includes
import check_names
import check_objects
import check_operator_lists
import check_tree
import vocabulary


class SmallTree(unittest.TestCase):
    """A tree without violations; each test adds one bad file."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        self.write("README.md", "# ortool\n[the license](LICENSE)\n")
        self.write("LICENSE", "none\n")
        self.write("libcore/base/error.hpp", "// Errors are values.\n#pragma once\n")
        self.write("libcore/graph/graph.hpp", '// A graph of nodes.\n#include "libcore/base/error.hpp"\n')
        self.write("kernels/cpu/isa/plain.hpp", "// Sizes only.\nstruct Sizes { long rows; };\n")
        self.write("docs/contributing/glossary.md", "# Glossary\n| word | meaning |\n|---|---|\n"
                   "| verdict, judge | those of these tests |\n| noise floor | a share |\n| lane | an element |\n")

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def expect(self, violations, *words):
        self.assertEqual(len(violations), 1, violations)
        for word in words:
            self.assertIn(word, violations[0])


class Names(SmallTree):
    def define(self, path, text):
        self.write(path, f"// A file.\nnamespace ortool {{\n{text}\n}}\n")

    def test_accepts_names_that_cannot_meet(self):
        self.define("libcore/graph/one.hpp", "struct Verdict { int a; };\nclass Later;")
        self.define("libcore/graph/two.hpp", "struct Judge { struct Verdict { long b; }; };")
        self.define("libcore/graph/two.cpp", "namespace {\nclass Verdict : Base { };\n}")
        self.define("libcore/graph/three.cpp", "class Judge::Part { };\nvoid f() { struct Verdict { }; }")
        self.define("kernels/cpu/four.hpp", "namespace cpu {\nstruct Verdict { };\n}")
        self.assertEqual(check_names.check(self.root), [])

    def test_a_name_behind_alignas_is_defined_once(self):
        self.define("libcore/base/one.hpp", "struct alignas(64) Lane {\n};")
        self.define("apps/ortool/two.hpp", "class Lane {\n};")
        self.expect(check_names.check(self.root), "libcore/base/one.hpp", "apps/ortool/two.hpp", "ortool::Lane")

    def test_a_name_behind_attributes_is_defined_once(self):
        for attributes in ("alignas(sizeof(int) * (2 + 2))", "[[nodiscard]]", "alignas(64) [[gnu::packed]]",
                           "__attribute__((packed))"):
            with self.subTest(attributes=attributes):
                self.define("libcore/base/one.hpp", f"struct {attributes} Lane final : Sizes {{\n}};")
                self.define("apps/ortool/two.hpp", f"class {attributes} Lane {{\n}};")
                self.expect(check_names.check(self.root), "ortool::Lane")

    def test_a_name_is_defined_once_in_its_namespace(self):
        self.define("libcore/graph/one.hpp", "struct Verdict { int a; };")
        self.define("apps/ortool/two.hpp", "enum class Verdict : short { pass };")
        self.expect(check_names.check(self.root), "libcore/graph/one.hpp", "apps/ortool/two.hpp", "ortool::Verdict")

    def test_refused_words_in_identifiers_are_found(self):
        # Written so that this file contains none of the words.
        word, wanted = next(iter(vocabulary.BANNED.items()))
        for name in (f"only_{word}", f"{word}_", f"{word.capitalize()}List", f"find{word.capitalize()}2"):
            with self.subTest(name=name):
                self.write("libcore/graph/bad.cpp", f"// A bad file.\nint {name};\n")
                self.expect(check_names.check(self.root), "libcore/graph/bad.cpp", name, wanted)
        self.write("libcore/graph/bad.cpp", f'// A {word} of a file.\n#include "{word}.hpp"\nconst char* text = "{word}";\n')
        self.assertEqual(check_names.check(self.root), [])

    def test_refused_words_in_python_and_names_of_files_are_found(self):
        word = next(iter(vocabulary.BANNED))
        self.write("tests/cli/good.py", f"# A {word}.\ntext = '{word}'\n")
        self.assertEqual(check_names.check(self.root), [])
        self.write("tests/cli/bad.py", f"def find_{word}():\n    pass\n")
        self.expect(check_names.check(self.root), "tests/cli/bad.py", f"find_{word}")
        os.remove(os.path.join(self.root, "tests/cli/bad.py"))
        self.write(f"docs/{word}-of-values.md", "# Values\n")
        self.expect(check_names.check(self.root), f"docs/{word}-of-values.md")

    def test_british_spelling_in_names_is_found(self):
        self.write("libcore/graph/bad.cpp", "// A bad file.\nint is_normal" + "ised;\n")
        self.expect(check_names.check(self.root), "libcore/graph/bad.cpp", "write normalized")
        self.write("libcore/graph/bad.cpp", "// A good file.\nint optimistic, realistic_value, programmer, localhost, colored;\n")
        self.assertEqual(check_names.check(self.root), [])

    def test_the_list_of_words_may_hold_them(self):
        self.write("tests/structure/vocabulary.py", f"{next(iter(vocabulary.BANNED))} = 1\n")
        self.assertEqual(check_names.check(self.root), [])

    def test_types_end_with_a_noun_that_is_explained(self):
        self.define("libcore/graph/one.hpp", "struct EarlyVerdicts { };\nclass WaveTable { };\nclass QuietFloor { };")
        self.assertEqual(check_names.check(self.root), [])
        self.define("libcore/graph/two.hpp", "struct VerdictBrouhaha { };")
        self.expect(check_names.check(self.root), "libcore/graph/two.hpp", "brouhaha", "glossary.md")

    def test_operators_are_called_as_the_standard_calls_them(self):
        self.define("libcore/ops/math/brouhaha.hpp", "struct Brouhaha { };")
        self.write("libcore/ops/math/list.cpp", "// A list of operators.\nconst auto entry = op_entry<Brouhaha>();\n")
        self.assertEqual(check_names.check(self.root), [])

    def test_private_words_and_british_spelling_in_prose_are_found(self):
        phrase, wanted = next(iter(vocabulary.PROSE.items()))
        british = "colo" + "ur"
        self.write("docs/bad.md", f"# A page\nOf {phrase.upper()}\n")
        self.write("libcore/graph/bad.cpp", f'// A good file.\nint x;  // a {british}\nconst char* text = "{british}";\n')
        violations = check_names.check(self.root)
        # The text in line 3 is not prose, but users see it.
        self.assertEqual(len(violations), 3, violations)
        self.assertIn(f"docs/bad.md:2: '{phrase.upper()}': write {wanted}", violations)
        self.assertIn(f"libcore/graph/bad.cpp:2: '{british}': write color", violations)

    def test_private_words_and_british_spelling_in_what_users_see_are_found(self):
        word = "pict" + "ure"
        self.write("libcore/graph/bad.cpp", f'// A good file of a {word}.\n#include "{word}.hpp"\nconst char* text = "a {word}";\n')
        self.write("docs/bad.md", f"# A page\nOf a {word}\n")
        self.write("testdata/cli/bad.txt", "# A transcript.\n1> colo" + "ur\n")
        violations = check_names.check(self.root)
        self.assertEqual(len(violations), 3, violations)
        for place, wanted in (("libcore/graph/bad.cpp:3", "image"), ("docs/bad.md:2", "image"), ("testdata/cli/bad.txt:2", "color")):
            self.assertTrue(any(line.startswith(place) and line.endswith(f"write {wanted}") for line in violations), violations)

    def test_first_lines_name_something_that_is_explained(self):
        self.write("libcore/graph/good.cpp", "// Quiet verdicts.\n")
        self.assertEqual(check_names.check(self.root), [])
        self.write("libcore/graph/bad.cpp", "// Brouhaha of hullabaloos.\nint graph;\n")
        self.expect(check_names.check(self.root), "libcore/graph/bad.cpp", "first line")


class Captures(SmallTree):
    def setUp(self):
        super().setUp()
        self.write("libcore/graph/facts.hpp", "// Facts.\nnamespace ortool {\nint size_of(long value);\n"
                                              "struct Fact { int weight_of(int a); };\n}\n")

    def define(self, name, text, includes=("libcore/graph/facts.hpp",)):
        lines = "".join(f'#include "{header}"\n' for header in includes)
        self.write(f"libcore/graph/{name}", f"// A file.\n{lines}namespace ortool {{\n{text}\n}}\n")

    def test_accepts_names_that_no_call_could_mean(self):
        self.define("calls.cpp", "int f(Fact fact) { return size_of(1) + fact.weight_of(2); }")
        self.define("other.cpp", "namespace {\nint weight_of(int a) { return a; }\nint extent_of(int a) { return a; }\n}", ())
        self.define("within.cpp", "namespace {\nint g(int a) { const int size_of = a; return size_of; }\n}", ())
        self.define("same_avx2.cpp", "namespace {\nint size_of(int a) { return a; }\n}", ())
        self.write("libcore/text/far.cpp", "// A file.\nnamespace ortool {\nnamespace {\nint size_of(int a) { return a; }\n}\n}\n")
        self.assertEqual(check_captures.check(self.root), [])

    def test_accepts_a_name_of_another_namespace(self):
        self.write("libcore/graph/old.hpp", "// Facts.\nnamespace ortool::old {\nint depth_of(long value);\n}\n")
        self.write("libcore/graph/old.cpp", '// Facts.\n#include "libcore/graph/old.hpp"\nnamespace ortool::old {\n'
                                            "int g() { return depth_of(1); }\n}\n")
        self.define("new.cpp", "namespace {\nint depth_of(int value) { return value; }\n}", ())
        self.assertEqual(check_captures.check(self.root), [])

    def test_a_function_of_a_file_takes_no_calls_of_its_neighbors(self):
        self.define("calls.cpp", "int f() { return size_of(1); }")
        self.define("own.cpp", "namespace {\nint size_of(int value) { return value; }\n}", ())
        self.expect(check_captures.check(self.root), "libcore/graph/own.cpp", "size_of()", "libcore/graph/calls.cpp",
                    "libcore/graph/facts.hpp")

    def test_a_static_function_is_the_files_own(self):
        self.define("calls.cpp", "int f() {\n  return size_of(1);\n}")
        self.define("own.cpp", "template <typename T>\nT other(T value);\nstatic int size_of(int value) { return value; }", ())
        self.expect(check_captures.check(self.root), "libcore/graph/own.cpp", "size_of()")


class OperatorLists(SmallTree):
    def setUp(self):
        super().setUp()
        self.write("libcore/ops/math/unary.cpp", "// Unary operators.\n" + "".join(
            f'constinit const OpSchema {name}::schema = {{"{name}", "", versions}};\n'
            for name in ("Abs", "Exp", "Log", "Neg", "Sqrt")))

    def check(self, exceptions=()):
        return check_operator_lists.check(self.root, dict.fromkeys(exceptions, "a reason"))

    def test_accepts_few_names_kernel_rows_and_the_operators_themselves(self):
        self.write("libcore/optimize/few.cpp", '// Few.\nconst char* few[] = {"Abs", "Exp", "Log"};\n')
        self.write("libcore/optimize/steps.cpp", '// Steps.\nvoid f() { g("Abs"); g("Exp"); g("Log"); g("Neg"); }\n')
        self.write("libcore/optimize/words.cpp", '// Words.\nconst char* words[] = {"a", "b", "c", "d", "e"};\n')
        self.write("providers/cpu/unary.cpp", "// Rows.\nconstexpr KernelRow rows[] = "
                   '{{"Abs"}, {"Exp"}, {"Log"}, {"Neg"}};\n')
        self.write("libcore/ops/math/list.cpp", '// A list.\nconst char* names[] = {"Abs", "Exp", "Log", "Neg"};\n')
        self.assertEqual(self.check(), [])

    def test_an_initializer_is_a_list(self):
        self.write("libcore/runtime/bad.cpp", "// A bad file.\nconstexpr Row rows[] = "
                   '{{"Abs", 1}, {"Exp", 1},\n{"Log", 2}, {"Neg", 1}};\n')
        self.expect(self.check(), "libcore/runtime/bad.cpp:2", "Abs, Exp, Log, Neg")

    def test_a_loop_over_names_is_a_list(self):
        self.write("apps/ortool/bad.cpp", "// A bad file.\nvoid f() {\n"
                   'for (const char* name : {"Abs", "Exp", "Log", "Neg"}) g(name);\n}\n')
        self.expect(self.check(), "apps/ortool/bad.cpp:3")

    def test_a_condition_is_a_list(self):
        self.write("kernels/cpu/bad.cpp", "// A bad file.\nbool f() {\n"
                   'return n == "Abs" || n == "Exp" || n == "Log" || n == "Neg";\n}\n')
        self.expect(self.check(), "kernels/cpu/bad.cpp")

    def test_an_exception_has_to_be_needed(self):
        self.write("libcore/runtime/bad.cpp", '// A bad file.\nRow rows[] = {"Abs", "Exp", "Log", "Neg"};\n')
        self.assertEqual(self.check(["libcore/runtime/bad.cpp"]), [])
        self.expect(self.check(["libcore/runtime/bad.cpp", "libcore/runtime/gone.cpp"]), "gone.cpp")


class Includes(SmallTree):
    def include(self, path, header):
        self.write(path, f"// A file.\n#include {header}\n")

    def test_accepts_what_the_table_allows(self):
        self.include("libcore/ops/relu.cpp", '"libcore/graph/graph.hpp"')
        self.include("providers/cpu/relu.cpp", '"kernels/cpu/isa/plain.hpp"')
        self.include("apps/ortool/command_line.cpp", "<CLI/CLI.hpp>")
        self.include("libcore/base/log.cpp", "<spdlog/spdlog.h>")
        self.include("tests/unit/relu_test.cpp", '"libcore/graph/graph.hpp"')
        self.include("kernels/cpu/elementwise/relu_avx2.cpp", '"kernels/cpu/isa/plain.hpp"')
        self.assertEqual(check_includes.check(self.root), [])

    def test_a_lower_layer_may_not_see_a_higher_one(self):
        self.include("libcore/base/bad.cpp", '"libcore/graph/graph.hpp"')
        self.expect(check_includes.check(self.root), "libcore/base/bad.cpp", "libcore/graph/graph.hpp")

    def test_a_new_layer_needs_a_row_in_the_table(self):
        self.include("libcore/surprise/bad.cpp", '"libcore/base/error.hpp"')
        self.expect(check_includes.check(self.root), "layer_table.py")

    def test_kernels_see_base_and_tensor_only(self):
        self.include("kernels/cpu/elementwise/bad.cpp", '"libcore/graph/graph.hpp"')
        self.expect(check_includes.check(self.root), "kernels/cpu/elementwise/bad.cpp")

    def test_families_of_kernels_see_shared_rooms_and_what_their_row_names(self):
        self.write("kernels/cpu/gemm/f32/gemm.hpp", "// A product.\n")
        self.include("kernels/cpu/conv/f32_nchw/im2col_gemm.cpp", '"kernels/cpu/gemm/f32/gemm.hpp"')
        self.assertEqual(check_includes.check(self.root), [])
        self.include("kernels/cpu/reduction/bad.cpp", '"kernels/cpu/gemm/f32/gemm.hpp"')
        self.expect(check_includes.check(self.root), "kernels/cpu/reduction/bad.cpp", "gemm/f32/gemm.hpp")

    def test_shared_rooms_of_kernels_see_those_before_them_only(self):
        self.write("kernels/cpu/epilogue/requantize.hpp", "// Requantization.\n")
        self.include("kernels/cpu/isa/bad.cpp", '"kernels/cpu/epilogue/requantize.hpp"')
        self.expect(check_includes.check(self.root), "kernels/cpu/isa/bad.cpp")

    def test_a_new_family_of_kernels_needs_a_row_in_the_table(self):
        self.include("kernels/cpu/surprise/bad.cpp", '"kernels/cpu/isa/plain.hpp"')
        self.expect(check_includes.check(self.root), "layer_table.py")

    def test_a_module_may_not_see_the_library(self):
        self.write("libcore/base/known.hpp", "// Known.\n")
        self.include("providers/xnnpack/bad.cpp", '"libcore/base/known.hpp"')
        self.expect(check_includes.check(self.root), "providers/xnnpack/bad.cpp")

    def test_a_provider_may_not_see_another(self):
        self.write("providers/onednn/memory.hpp", "// Memory there.\n")
        self.include("providers/cpu/bad.cpp", '"providers/onednn/memory.hpp"')
        self.expect(check_includes.check(self.root), "providers/cpu/bad.cpp")

    def test_apps_see_no_kernel(self):
        self.include("apps/ortool/bad.cpp", '"kernels/cpu/isa/plain.hpp"')
        self.expect(check_includes.check(self.root), "apps/ortool/bad.cpp")

    def test_includes_are_relative_to_the_root(self):
        self.include("libcore/base/bad.cpp", '"error.hpp"')
        self.expect(check_includes.check(self.root), "not relative to the root")

    def test_heavy_headers_stay_in_source_files_of_their_folder(self):
        for path, header in [("apps/ortool/run.cpp", "<CLI/CLI.hpp>"),
                             ("libcore/onnx/read/load.hpp", "<google/protobuf/io/coded_stream.h>"),
                             ("libcore/graph/bad.cpp", "<nlohmann/json.hpp>"),
                             ("libcore/base/error_two.cpp", "<spdlog/spdlog.h>"),
                             ("libcore/base/error_two.hpp", "<fmt/format.h>"),
                             ("providers/cpu/bad.cpp", "<dnnl.hpp>"),
                             ("libcore/runtime/bad.cpp", "<cuda_runtime.h>"),
                             ("libcore/graph/bad.cpp", "<iostream>")]:
            with self.subTest(header=header):
                self.include(path, header)
                self.expect(check_includes.check(self.root), path, header)
                os.remove(os.path.join(self.root, path))

    def test_a_comment_is_no_include(self):
        self.write("libcore/base/good.cpp", '// A file.\n/*\n#include "nowhere.hpp"\n*/\n')
        self.assertEqual(check_includes.check(self.root), [])

    def test_instruction_set_files_include_c_headers_only(self):
        self.include("kernels/cpu/elementwise/bad_avx2.cpp", "<cmath>")
        self.expect(check_includes.check(self.root), "reaches <cmath>")

    def test_instruction_set_files_reach_no_inline_code(self):
        self.write("kernels/cpu/isa/helper.hpp", "// Help.\ninline int twice(int x) { return 2 * x; }\n")
        self.include("kernels/cpu/elementwise/bad_vnni.cpp", '"kernels/cpu/isa/helper.hpp"')
        self.expect(check_includes.check(self.root), "helper.hpp holds 'inline'")


class Tree(SmallTree):
    def test_accepts_a_tidy_tree(self):
        self.write("apps/setup.sh", "#!/usr/bin/env bash\n# Sets up a machine.\n")
        self.write(".editorconfig", "root = true\n")
        self.write("build/rubbish.cpp", "int x;\n")
        self.assertEqual(check_tree.check(self.root), [])

    def test_the_top_level_is_closed(self):
        self.write("notes.txt", "none\n")
        self.expect(check_tree.check(self.root), "notes.txt")

    def test_a_folder_holds_forty_files_of_code(self):
        for i in range(40):
            self.write(f"libcore/text/part_{i}.cpp", "// A part.\n")
        self.write("libcore/text/README.md", "# Parts\n")
        self.assertEqual(check_tree.check(self.root), [])
        self.write("libcore/text/one_more.cpp", "// A part.\n")
        self.expect(check_tree.check(self.root), "libcore/text: holds 41 files")

    def test_a_folder_that_is_no_longer_too_full_leaves_the_list(self):
        self.write("libcore/text/one.cpp", "// One part.\n")
        with unittest.mock.patch.object(check_tree.layer_table, "FULL_FOLDERS", ["libcore/text"]):
            self.expect(check_tree.check(self.root), "FULL_FOLDERS")

    def test_first_lines_are_sentences(self):
        for path, text in [("libcore/base/bad.hpp", "#pragma once\n"),
                           ("libcore/base/bad.cpp", "//\nint x;\n"),
                           ("apps/bad.sh", "#!/usr/bin/env bash\nset -e\n"),
                           ("cmake/Bad.cmake", "set(x 1)\n"),
                           ("libcore/CMakeLists.txt", "add_library(x)\n")]:
            with self.subTest(path=path):
                self.write(path, text)
                self.expect(check_tree.check(self.root), path)
                os.remove(os.path.join(self.root, path))

    def test_paths_of_one_machine_are_found(self):
        self.write("docs/bad.md", "Look into " + "/".join(["", "home", "me", "models"]) + ".\n")
        self.expect(check_tree.check(self.root), "docs/bad.md:1")

    def test_a_path_that_only_looks_alike_passes(self):
        self.write("docs/good.md", "See tests" + "/".join(["", "work", "a.md"]) + ".\n")
        self.assertEqual(check_tree.check(self.root), [])


class Documents(SmallTree):
    def test_accepts_links_that_resolve(self):
        self.write("docs/a.md", "# First part\n[b](b.md#a-heading) [up](../README.md) [c](#first-part)\n")
        self.write("docs/b.md", "## A heading\n`[no](link)`\n")
        self.assertEqual(check_documents.check(self.root), [])

    def test_a_dead_link_is_found(self):
        self.write("docs/a.md", "[b](b.md)\n")
        self.expect(check_documents.check(self.root), "b.md")

    def test_a_dead_anchor_is_found(self):
        self.write("docs/a.md", "# One\n[b](#two)\n")
        self.expect(check_documents.check(self.root), "#two")

    def test_a_listing_is_the_text_of_its_file(self):
        self.write("tests/one.cpp", "// One.\nint one;\n")
        page = "Look at [one](../tests/one.cpp):\n\n```cpp\n// One.\nint %s;\n```\n"
        self.write("docs/a.md", page % "one")
        self.assertEqual(check_documents.check(self.root), [])
        self.write("docs/a.md", page % "two")
        self.expect(check_documents.check(self.root), "docs/a.md", "tests/one.cpp")

    def test_a_command_without_its_script_is_found(self):
        self.write("README.md", "```sh\nbash apps/gone.sh\n```\n")
        self.expect(check_documents.check(self.root), "apps/gone.sh")

    def test_a_transcript_that_names_a_missing_file_is_found(self):
        self.write("README.md", "```console\n$ ortool run testdata/gone.onnx \\\n  --top 3\n7\n```\n")
        self.expect(check_documents.check(self.root), "testdata/gone.onnx")

    def test_a_preset_that_does_not_exist_is_found(self):
        self.write("CMakePresets.json", '{"configurePresets": [{"name": "dev"}]}')
        self.write("README.md", "```sh\ncmake --preset dev\ncmake --preset gone\n```\n")
        self.expect(check_documents.check(self.root), "preset gone")

    def test_a_subcommand_that_does_not_exist_is_found(self):
        self.write("README.md", "```sh\nortool frobnicate\n```\n")
        self.expect(check_documents.check(self.root, "/bin/false"), "ortool frobnicate")


class Objects(SmallTree):
    def compile(self, name, text, *options):
        source = os.path.join(self.root, name)
        self.write(name, text)
        output = f"kernels/{name}.o"
        os.makedirs(os.path.join(self.root, "kernels"), exist_ok=True)
        compiler = os.environ.get("CXX", "c++")
        words = [compiler, *options, "-c", source, "-o", output]
        subprocess.run(words, cwd=self.root, check=True)
        command = " ".join(words)
        self.write("compile_commands.json",
                   f'[{{"directory": "{self.root}", "command": "{command}", "file": "{source}"}}]')
        return check_objects.check(self.root)

    def test_accepts_plain_functions(self):
        self.assertEqual(self.compile("good.cpp", "int twice(int x) { return 2 * x; }\n", "-mavx2"), [])

    def test_a_weak_symbol_of_an_instruction_set_file_is_found(self):
        self.expect(self.compile("bad.cpp", "inline int f(int x) { return x; }\nint (*p)(int) = f;\n", "-mavx2"),
                    "weak symbol f(int)")

    def test_weak_symbols_elsewhere_pass(self):
        self.assertEqual(
            self.compile("good.cpp", "inline int f(int x) { return x; }\nint (*p)(int) = f;\n"), [])

    def test_code_before_main_is_found(self):
        self.expect(self.compile("bad.cpp", "int f();\nint x = f();\n"), "runs code before main")

    def test_code_before_main_of_third_parties_alone_passes(self):
        third_party = "int f();\nnamespace CLI { static volatile int number = f(); }\n"
        self.assertEqual(self.compile("vendor.cpp", third_party), [])
        self.expect(self.compile("mixed.cpp", third_party + "int x = f();\n"), "runs code before main")
        self.expect(self.compile("stream.cpp", "#include <iostream>\n"), "runs code before main")

    def test_a_build_tree_without_objects_is_no_success(self):
        self.write("compile_commands.json", "[]")
        self.expect(check_objects.check(self.root), "nothing was checked")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
