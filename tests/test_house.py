"""The house rules: imports go down only, files and functions stay small, names stay honest."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "subitize"
LAYERS = (
    "errors",
    "disk",
    "files",
    "records",
    "numerals",
    "nouns",
    "measures",
    "pictures",
    "stimuli",
    "datasets",
    "models",
    "readers",
    "published",
    "score_keys",
    "benchmark",
    "runs",
    "reports",
    "captions",
    "benchmarks",
    "training",
    "humans",
    "integrations",
    "numgen",
    "opening",
    "api",
    "commands",
    "cli",
    "__main__",
)
LONGEST_FILE, LONGEST_FUNCTION, MOST_PARAMETERS = 400, 60, 7
FILES = sorted(SOURCE.rglob("*.py"))
LAZY_TABLES = {
    "__init__.py",  # the front door
    "cli.py",  # the commands
    "measures/__init__.py",
    "stimuli/__init__.py",  # the drawers
}
"""files beside every catalog.py that may name modules in strings"""
ENTRY_POINTS = {"subitize.models", "subitize.counters", "subitize.benchmarks"}
"""groups of entry points, which look like modules"""
HEAVY = {"scipy", "matplotlib", "polars", "torch", "transformers", "PIL", "jinja2", "rich"}


def layer(module: str) -> int | None:
    """Where a module of ours stands, counted from the top; None for the package itself."""
    parts = module.split(".")
    if len(parts) > 1 and parts[1] not in LAYERS:
        return LAYERS.index("api")
    return LAYERS.index(parts[1]) if len(parts) > 1 else None


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.module, "say which module, by its full name"
        if node.module == "subitize":  # what is no module of ours is a name of the front door
            return [f"subitize.{alias.name}" for alias in node.names if alias.name != "__version__"]
        return [node.module]
    return []


def is_command(function: ast.FunctionDef | ast.AsyncFunctionDef, path: Path) -> bool:
    """Commands take one parameter per option of the command line, and so does `subitize.run`."""
    if (path.name, function.name) == ("api.py", "run"):
        return True
    if any(".command(" in ast.unparse(decorator) for decorator in function.decorator_list):
        return True
    return "commands" in path.parts and any(
        # options are declared beside their command, or once for several in commands/options.py
        re.search(r"\btyper\.|\bgiven\.", ast.unparse(argument.annotation))
        for argument in function.args.args
        if argument.annotation
    )


def test_contributing_tells_the_same_house() -> None:
    """The order of the rows, and files that are there."""
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [rows] = re.findall(r"\nerrors,[^.]*\.", text)
    assert re.findall(r"\w+", rows) == [name for name in LAYERS if name != "__main__"]
    walk = text.partition("## The walk of one trial")[2].partition("\n## ")[0]
    for name in re.findall(r"`([\w/]+\.py)`", walk):
        assert (SOURCE / name).exists() or (SOURCE / "runs" / name).exists(), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_only(path: Path) -> None:
    own = layer(module_of(path))
    if own is None:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in imports(node):
            if name.startswith("subitize."):
                found = layer(name)
                assert found is None or found <= own, f"{module_of(path)} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_are_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_command(node, path):
            continue
        assert node.end_lineno is not None
        assert node.end_lineno - node.lineno < LONGEST_FUNCTION, node.name
        named = [*node.args.args, *node.args.kwonlyargs]
        given = [argument for argument in named if argument.arg not in ("self", "cls")]
        assert len(given) <= MOST_PARAMETERS + 1, node.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_our_own_modules_are_imported_at_the_top(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                for name in imports(node):
                    assert not name.startswith("subitize"), f"{function.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_catalogs_name_modules_in_strings(path: Path) -> None:
    """A name in a string is an import too: it goes down only, and stands where one looks for it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module, own = module_of(path), layer(module_of(path))
    lazy = path.name == "catalog.py" or path.relative_to(SOURCE).as_posix() in LAZY_TABLES
    for node in ast.walk(tree):
        assert lazy or "importlib" not in imports(node) or "import_module" not in ast.unparse(node)
        text = node.value if isinstance(node, ast.Constant) else None
        # a package may name itself, to find its own files
        if not isinstance(text, str) or text == module.rpartition(".")[0]:
            continue
        if re.fullmatch(r"subitize(\.\w+)+(:\w+)?", text):
            assert lazy, f"{module} names {text}"
            if text in ENTRY_POINTS:
                continue
            found = layer(text.partition(":")[0])
            assert own is None or found is None or found <= own, f"{module} names {text}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_one_room_knows_pillow(path: Path) -> None:
    """Whoever has or wants a picture asks `pictures/`, so that all decode and bound it alike."""
    if "pictures" in path.relative_to(SOURCE).parts[:1]:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in imports(node):
            assert name.partition(".")[0] != "PIL", f"{module_of(path)} imports {name}"


def test_no_file_is_a_drawer_for_everything() -> None:
    for path in SOURCE.rglob("*"):
        assert path.stem not in {"utils", "util", "helpers", "common", "misc"}, path


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_all_names_exist(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined: set[str] = set()
    # Names that are loaded late stand under `if TYPE_CHECKING`.
    late = [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]
    for node in [*tree.body, *late]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            defined |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = ast.literal_eval(node.value)
            assert sorted(set(listed)) == sorted(listed)
            assert set(listed) <= defined, set(listed) - defined


def loaded_by(program: str) -> set[str]:
    """The top packages that a fresh interpreter has loaded after this program."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_and_asking_need_no_heavy_package() -> None:
    assert not loaded_by("import subitize") & {*HEAVY, "numpy", "aiohttp"}
    assert not loaded_by("import subitize.cli") & {*HEAVY, "numpy", "aiohttp"}
    running = loaded_by(
        "import subitize.runs.run, subitize.models.openai\n"
        "from subitize.benchmarks.catalog import BENCHMARKS, get_benchmark\n"
        "for name in BENCHMARKS: get_benchmark(name)"
    )
    assert not running & HEAVY


def test_torchvision_stays_out() -> None:
    """Beside a CPU build of torch it breaks every import of transformers."""
    from importlib.util import find_spec

    assert find_spec("torchvision") is None
