"""`python -m lessons.mutate [NN]`: do the checks refuse solutions that are slightly broken?

Each solution is changed in one small place at a time, in every way listed here. A check must refuse
each mutant. One that it lets through is listed, unless `SURVIVORS` in lNN_wrong.py says why it is
right: exercise number -> {"line before -> line after": reason}.
"""

from __future__ import annotations

import argparse
import ast
import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lessons import checking
from lessons.answers import imports_before, source_of
from lessons.exercise import Exercise
from lessons.places import chosen_lessons
from lessons.registry import exercises_of, lesson_module

COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitXor: ast.BitOr,
}  # fmt: skip
INSTEAD_OF_A_RESULT = (None, 0, 1, True, False, "")
SECONDS_FOR_A_MUTANT = 0.7


@dataclass(frozen=True)
class Mutant:
    """One broken solution: its whole source, and the changed line before and after."""

    source: str
    before: str
    after: str

    @property
    def change(self) -> str:
        """For example "return None -> return 0"; the key of an excuse."""
        return f"{self.before} -> {self.after}"


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a solution, each once, in a fixed order."""
    tree = strip_docstrings(ast.parse(source))
    whole = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for changed in changed_trees(tree):
        try:
            text = ast.unparse(ast.fix_missing_locations(changed))
            compile(text, "<mutant>", "exec")
        except (SyntaxError, ValueError):
            continue
        if text != whole and text not in found:
            found[text] = Mutant(text, *first_difference(whole, text))
    return list(found.values())


def strip_docstrings(tree: ast.Module) -> ast.Module:
    """Without docstrings: changing one breaks nothing."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = body[1:] or [ast.Pass()]
    return tree


def first_difference(whole: str, text: str) -> tuple[str, str]:
    """The first line that differs, before and after, stripped."""
    old, new = whole.split("\n"), text.split("\n")
    before, after = next(
        ((a, b) for a, b in zip(old, new) if a != b), (old[min(len(old), len(new) + 1) - 1], "")
    )
    return before.strip(), "(deleted)" if len(new) < len(old) else after.strip()


def changed_trees(tree: ast.Module) -> Iterator[ast.Module]:
    """Copies of the tree with one node changed."""
    # what an error says is for people: another text is no other behaviour
    in_errors = {id(n) for r in ast.walk(tree) if isinstance(r, ast.Raise) for n in ast.walk(r)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in in_errors:
            continue
        for change in range(64):
            fresh = copy.deepcopy(tree)
            target = next(n for i, n in enumerate(ast.walk(fresh)) if i == index)
            options = changes(node, tree)
            if change >= len(options):
                break
            options[change](target)
            yield fresh


def changes(node: ast.AST, tree: ast.Module) -> list:
    """The ways to change one node; each takes the node's copy and edits it in place."""
    match node:
        case ast.Compare():
            kinds = [COMPARE[type(op)] for op in node.ops]
            return [lambda n, k=k, i=i: n.ops.__setitem__(i, k()) for i, k in enumerate(kinds)]
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            kind = ARITHMETIC[type(node.op)]
            return [lambda n: setattr(n, "op", kind()), swap_sides]
        case ast.BoolOp():
            kind = ast.Or if isinstance(node.op, ast.And) else ast.And
            return [lambda n: setattr(n, "op", kind())]
        case ast.Constant():
            return [lambda n, v=v: setattr(n, "value", v) for v in other_values(node.value)]
        case ast.If() | ast.While() | ast.IfExp():
            return [lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))]
        case ast.Return() if node.value is not None:
            values = INSTEAD_OF_A_RESULT
            return [lambda n, v=v: setattr(n, "value", ast.Constant(v)) for v in values]
        case ast.Name() if isinstance(node.ctx, ast.Load):
            others = [name for name in local_names(tree) if name != node.id]
            return [lambda n, o=o: setattr(n, "id", o) for o in others]
        case ast.Call():
            return call_changes(node)
        case ast.comprehension() if node.ifs:
            return [lambda n: n.ifs.clear(), negate_filter]
    body = getattr(node, "body", None)
    if isinstance(body, list) and len(body) > 1 and not isinstance(node, ast.Module):
        return [lambda n, i=i: n.body.pop(i) for i in range(len(body))]
    return []


def swap_sides(node: ast.BinOp) -> None:
    """a - b becomes b - a."""
    node.left, node.right = node.right, node.left


def negate_filter(node: ast.comprehension) -> None:
    """[x for x in y if c] becomes [x for x in y if not c]."""
    node.ifs = [ast.UnaryOp(ast.Not(), test) for test in node.ifs]


def call_changes(node: ast.Call) -> list:
    """Arguments swapped, or one left out."""
    found = [lambda n, i=i: n.args.pop(i) for i in range(len(node.args))]
    if len(node.args) > 1:
        found.append(lambda n: n.args.reverse())
    return found


def other_values(value: object) -> list:
    """What to put in place of a constant."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value - 1, 0]
    if isinstance(value, str):
        return ["", value + "x"] if value else ["x"]
    if isinstance(value, bytes):
        return [b"", value + b"x"] if value else [b"x"]
    return []


def local_names(tree: ast.Module) -> list[str]:
    """Parameters and variables of the solution, in order of appearance."""
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names[node.arg] = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
    return list(names)


def survives(exercise: Exercise, mutant: Mutant) -> bool:
    """True if the check takes the mutant for right."""
    namespace: dict = {"__name__": "__main__"}
    exec(imports_before(exercise), namespace)
    quick = replace(exercise, seconds=min(exercise.seconds, SECONDS_FOR_A_MUTANT))
    try:
        exec(compile(mutant.source, "<mutant>", "exec"), namespace)
        return checking.judge(quick, namespace).status == checking.RIGHT
    except Exception:
        return False


def excuses(exercise: Exercise) -> dict[str, str]:
    """Change ("line before -> line after") -> why the mutant is right all the same."""
    module = lesson_module("exercises", exercise.lesson, "_wrong")
    return getattr(module, "SURVIVORS", {}).get(exercise.number, {}) if module else {}


def survivors(exercise: Exercise, at_most: int | None = None) -> tuple[int, int, list[Mutant]]:
    """(mutants made, killed, those that survive without an excuse)."""
    made = mutants(source_of(exercise, "solution"))
    if at_most is not None and len(made) > at_most:
        made = [made[i * len(made) // at_most] for i in range(at_most)]
    alive = [mutant for mutant in made if survives(exercise, mutant)]
    excused = excuses(exercise)
    return len(made), len(made) - len(alive), [m for m in alive if m.change not in excused]


def main(argv: list[str] | None = None) -> int:
    """Print killed of made per exercise and lesson, and every survivor."""
    parser = argparse.ArgumentParser(prog="python -m lessons.mutate", description=__doc__)
    parser.add_argument("lesson", nargs="*", help="01, 1 or 01_fsm_masking; none means all")
    parser.add_argument("--table", action="store_true", help="one line per lesson, for CONTRIBUTING")
    options = parser.parse_args(argv)
    bad = 0
    if options.table:
        print("| lesson | mutants made | refused | right all the same | unexplained |")
        print("| --- | --- | --- | --- | --- |")
    for name in chosen_lessons(options.lesson):
        lines, total, dead, unexplained = [], 0, 0, 0
        for exercise in exercises_of(name):
            made, killed, alive = survivors(exercise)
            total, dead, unexplained = total + made, dead + killed, unexplained + len(alive)
            lines.append(f"  {exercise.number} {exercise.title:<44} {killed} of {made}")
            lines += [f"      survives: {m.change}" for m in alive]
            known = excuses(exercise).items()
            lines += [f"      right all the same: {line}  ({reason})" for line, reason in known]
        bad += unexplained
        if options.table:
            right = total - dead - unexplained
            print(f"| {name} | {total} | {dead} | {right} | {unexplained} |", flush=True)
            continue
        print(f"{name}: {dead} of {total} mutants killed")
        print("\n".join(lines), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
