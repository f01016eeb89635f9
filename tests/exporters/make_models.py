# Makes the exporters' models: for each a folder with model.onnx and test data with onnxruntime's outputs.
"""usage: make_models.py FOLDER [--only PART,PART] [--force] [--large]

--large: those of large_models.py, for measuring speed. Existing models are kept. Exit 1 if one cannot be made.
"""
import argparse
import contextlib
import logging
import os
import sys
import time
import traceback
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

# pylint: disable=wrong-import-position
import zoo  # noqa: E402
import diffusion_models  # noqa: E402,F401
import family_models  # noqa: E402,F401
import fused_models  # noqa: E402
import genai_models  # noqa: E402,F401
import large_models  # noqa: E402
import module_models  # noqa: E402,F401
import optimum_models  # noqa: E402,F401
import recipe_models  # noqa: E402
import sklearn_models  # noqa: E402,F401
import search_models  # noqa: E402,F401
import text_models  # noqa: E402,F401
import transformer_models  # noqa: E402,F401
import vision_models  # noqa: E402,F401
import variant_models  # noqa: E402


@contextlib.contextmanager
def silence():
    """Suppresses the extensive output of torch's libraries to standard output."""
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def add_variants(folder, is_large):
    """The models that are made from others in the folder; all of the large ones in place of the small ones."""
    if is_large:
        zoo.ENTRIES.clear()
        large_models.add_large(folder)
        return
    variant_models.add_variants(folder)
    fused_models.add_fused(folder)
    recipe_models.add_recipes(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.folder)
    add_variants(folder, arguments.large)
    parts = [part for part in arguments.only.split(",") if part]
    made, failed = 0, []
    for name in zoo.ENTRIES:
        if parts and not any(part in name for part in parts):
            continue
        place = os.path.join(folder, name)
        if os.path.isdir(place) and not arguments.force:
            continue
        begin = time.monotonic()
        try:
            with silence():
                zoo.write(name, place)
        except Exception as error:  # pylint: disable=broad-except
            failed.append(name)
            told = str(error).strip().splitlines() or [""]
            print(f"{name}: cannot be made: {type(error).__name__}: {told[0]:.300}", flush=True)
            if os.environ.get("ORTOOL_TRACEBACK"):
                traceback.print_exc()
            continue
        made += 1
        size = os.path.getsize(os.path.join(place, "model.onnx"))
        print(f"{name}: {size / 1e6:.2f} MB in {time.monotonic() - begin:.1f} s", flush=True)
    there = sum(os.path.isdir(os.path.join(folder, name)) for name in zoo.ENTRIES)
    print(f"{made} models made, {there} of {len(zoo.ENTRIES)} there, {len(failed)} failed: {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
