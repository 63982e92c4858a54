# SPDX-License-Identifier: GPL-2.0-only
"""The page of the reference is what the docstrings say, and every public name and keyword has one."""
import inspect
import os
import subprocess

import heddle
from support import SOURCE, Case, main

SCRIPT = os.path.join(SOURCE, "io/python/make_reference.py")


class ReferenceTest(Case):
    def test_the_page_is_that_of_the_docstrings(self):
        with open(os.path.join(SOURCE, "docs/python.md"), encoding="utf-8") as file:
            page = file.read()
        printed = subprocess.run(["/usr/bin/python3", SCRIPT], capture_output=True, text=True, check=True).stdout
        self.maxDiff = None
        self.assertEqual(page, printed, "docs/python.md: PYTHONPATH=io/python /usr/bin/python3 io/python/make_reference.py > docs/python.md")

    def test_every_public_thing_is_documented_and_typed(self):
        things = {name: getattr(heddle, name) for name in heddle.__all__ if not name.isupper()}
        for kind in [thing for thing in things.values() if inspect.isclass(thing)]:
            things |= {f"{kind.__name__}.{name}": getattr(value, "fget", getattr(value, "__func__", value))
                       for name, value in vars(kind).items() if not name.startswith("_") and (callable(value) or hasattr(value, "__get__"))}
        self.assertGreater(len(things), 60)
        for name, thing in things.items():
            self.assertTrue(inspect.getdoc(thing), f"{name} has no docstring")
            if inspect.isfunction(thing):
                untyped = [one.name for one in inspect.signature(thing).parameters.values()
                           if one.annotation is one.empty and one.name not in ("self", "cls")]
                self.assertEqual(untyped, [], name)
                self.assertIsNot(inspect.signature(thing).return_annotation, inspect.Signature.empty, name)


if __name__ == "__main__":
    main()
