"""Who may import what. The engine needs NumPy and nothing else; torch stays in its two corners."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
ROOMS = ("tokenmask", "toymodel", "simulator", "lessons", "bench")

# what a room may import when it is imported, beside the standard library and itself
AT_ONCE = {
    "tokenmask": {"numpy"},
    "toymodel": {"numpy", "tokenmask"},
    "simulator": {"numpy", "anywidget", "traitlets", "tokenmask", "toymodel"},
}
# what single files may import later, inside a function, when it is needed
LATER = {
    "tokenmask/cache.py": {"platformdirs"},
    "tokenmask/trace.py": {"jsonschema"},
    "toymodel/small.py": {"torch", "transformers"},
    "toymodel/convert.py": {"torch", "transformers", "gguf", "safetensors"},
    "toymodel/folders.py": {"filelock", "platformdirs", "tqdm"},
    "simulator/workshop.py": {"jsonschema"},
}
# files that nothing imports unless asked to: they may import these at once
CORNERS = {
    "tokenmask/transformers.py": {"torch", "transformers"},
    "toymodel/convert.py": {"torch", "transformers", "gguf", "safetensors"},
    "toymodel/folders.py": {"filelock", "platformdirs", "tqdm"},
}
HEAVY = {"torch", "transformers", "accelerate", "jsonschema", "matplotlib", "xgrammar", "llguidance"}

# nothing can be imported from outside the standard library but the names given
ONLY = """
import importlib.abc, sys

class Only(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {names}:
            raise ModuleNotFoundError(name + " is not there", name=name)

sys.meta_path.insert(0, Only())
"""
MASK = """
from tokenmask import GrammarCompiler, GrammarMatcher, Vocabulary

compiled = GrammarCompiler(Vocabulary([b"1", b"a", b"]", b"["], ())).compile_json_schema({"type": "array"})
print(GrammarMatcher(compiled).legal_tokens())
"""
RUN = """
from tokenmask import GrammarCompiler, generate
from toymodel import UniformModel, toy_vocabulary

schema = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
schema |= {"type": "object", "additionalProperties": False}
compiled = GrammarCompiler(toy_vocabulary()).compile_json_schema(schema)
print(list(generate(UniformModel(seed=3), "", compiled, budget=True).parsed()))
"""


def files(room: str) -> list[Path]:
    return sorted((REPO / room).rglob("*.py"))


def imported(path: Path) -> tuple[set[str], set[str]]:
    """(top names imported at once, top names imported inside functions), without the library's."""
    at_once, later = set(), set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        or (isinstance(function, ast.If) and ast.unparse(function.test) == "TYPE_CHECKING")
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        tops = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)
        (later if id(node) in inside else at_once).update(tops)
    return at_once, later


@pytest.mark.parametrize("room", AT_ONCE)
def test_a_room_imports_only_what_it_may(room):
    assert files(room)
    for path in files(room):
        name = path.relative_to(REPO).as_posix()
        at_once, later = imported(path)
        may = AT_ONCE[room] | {room}
        assert at_once <= may | CORNERS.get(name, set()), f"{name} imports {at_once - may}"
        may |= LATER.get(name, set()) | CORNERS.get(name, set())
        assert later <= may, f"{name} imports {later - may} in a function"


@pytest.mark.parametrize("name", [*LATER, *CORNERS])
def test_the_exceptions_are_needed(name):
    at_once, later = imported(REPO / name)
    granted = LATER.get(name, set()) | CORNERS.get(name, set())
    assert (at_once | later) & granted


def test_no_room_imports_the_lessons_or_the_measurements():
    for room in AT_ONCE:
        for path in files(room):
            assert not {"lessons", "bench"} & set.union(*imported(path)), path


def test_the_models_know_nothing_of_the_engine_but_its_vocabulary():
    for path in files("toymodel"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        modules |= {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
        engine = {name for name in modules if (name or "").partition(".")[0] == "tokenmask"}
        assert engine <= {"tokenmask.vocabulary"}, f"{path.name} imports {engine}"


def test_importing_the_rooms_brings_nothing_heavy():
    code = (
        "import sys, tokenmask, toymodel, simulator\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {"tokenmask", "toymodel", "simulator"} <= loaded
    assert not HEAVY & loaded


def works_with(names: set[str], code: str) -> str:
    """What the code prints where nothing but `names` can be imported."""
    whole = ONLY.replace("{names}", repr(names)) + code
    done = subprocess.run([sys.executable, "-c", whole], cwd=REPO, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_engine_works_with_numpy_alone():
    assert works_with({"numpy", "tokenmask"}, MASK) == "[3]\n"


def test_the_toys_work_without_torch():
    names = {"numpy", "tokenmask", "toymodel", "platformdirs", "tqdm"}
    assert works_with(names, RUN) == "['name']\n"
