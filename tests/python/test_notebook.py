# SPDX-License-Identifier: GPL-2.0-only
"""Notebooks of docs/notebook run from top to bottom, print what they show, and draw pictures that show something.

A small runner of cells stands in for Jupyter, which Debian's packages for tests do not have. Notebooks are kept without pictures: the
output of a cell has their number only. `test_notebook.py --update` writes outputs anew, and --pictures FOLDER writes pictures to look at.
"""
import ast
import contextlib
import glob
import io
import json
import os
import re
import sys

import matplotlib
import numpy
import pandas
from matplotlib import pyplot

import heddle
from support import SOURCE, Case, main

matplotlib.use("Agg")
pandas.set_option("display.width", 80, "display.max_columns", 20)  # whatever the terminal

FOLDER = os.path.join(SOURCE, "docs/notebook")
#: Least share of a picture that is in colours: axes alone and their texts are grey, a thin line of one colour has 0.004.
LEAST_COLOURED = 0.002
LARGEST = 32 * 1024  # bytes of a notebook, which has no pictures in it


def result_of(source, variables):
    """Runs a cell; its last expression's value, None if a semicolon ends it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), variables)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), variables) if last else None
    return None if source.rstrip().endswith(";") else value


def pictures():
    """The figures that are open, as arrays of colours (height, width, 3); closes them, as notebooks do behind each cell."""
    found = []
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        text = f"<Figure size {figure.bbox.width:.0f}x{figure.bbox.height:.0f} with {len(figure.axes)} Axes>"
        figure.canvas.draw()
        found.append((text, numpy.asarray(figure.canvas.buffer_rgba())[..., :3].copy()))
    pyplot.close("all")
    return found


def run_cell(cell, variables, count):
    """The cell's outputs in the notebook's form, and its pictures."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = result_of("".join(cell["source"]), variables)
    drawn = pictures()
    outputs = [{"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())}] if printed.getvalue() else []
    if value is not None:
        outputs.append({"data": {"text/plain": lines(repr(value))}, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    outputs += [{"data": {"text/plain": [text]}, "metadata": {}, "output_type": "display_data"} for text, _ in drawn]
    return outputs, [image for _, image in drawn]


def lines(text):
    return text.splitlines(keepends=True)


def run(book):
    """Runs all cells in one set of variables, and yields each cell of code with its outputs and pictures."""
    variables = {"__name__": "__main__"}
    for count, cell in enumerate((cell for cell in book["cells"] if cell["cell_type"] == "code"), 1):
        yield cell, count, *run_cell(cell, variables, count)


def is_empty(image):
    """Whether a picture shows nothing, or axes alone."""
    return (numpy.ptp(image, axis=2) > 12).mean() < LEAST_COLOURED


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, book):
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


class NotebookTest(Case):
    def setUp(self):
        super().setUp()
        self.books = sorted(glob.glob(FOLDER + "/*.ipynb"))
        self.assertGreater(len(self.books), 0)

    def test_cells_print_and_draw_what_the_notebook_shows(self):
        for path in self.books:
            drawn = 0
            for cell, count, outputs, images in run(read(path)):
                where = f"{os.path.basename(path)}, cell {cell['id']} (if this is right: test_notebook.py --update)"
                self.assertEqual((cell["outputs"], cell["execution_count"]), (outputs, count), where)
                for image in images:
                    self.assertFalse(is_empty(image), f"{where}: an empty picture")
                drawn += len(images)
            self.assertGreater(drawn, 5, path)

    def test_empty_pictures_are_seen(self):
        pyplot.figure()
        ax = pyplot.subplots()[1]
        ax.set(xlabel="time", ylabel="share", title="nothing", yscale="log")
        ax.plot([], [], label="no points")
        ax.legend()
        pyplot.subplots()[1].plot([0, 1], [0, 1])
        heddle.Topology("fat-tree", gpus=16).plot()
        self.assertEqual([is_empty(image) for _, image in pictures()], [True, True, False, False])

    def test_files_are_notebooks_without_pictures(self):
        for path in self.books:
            book, name = read(path), os.path.basename(path)
            self.assertLess(os.path.getsize(path), LARGEST, f"{name}: clear the pictures (test_notebook.py --update)")
            self.assertEqual((book["nbformat"], book["nbformat_minor"], book["metadata"]["kernelspec"]["name"]), (4, 5, "python3"))
            self.assertEqual(len({cell["id"] for cell in book["cells"]}), len(book["cells"]))
            for cell in book["cells"]:
                self.assertRegex(cell["id"], r"^[A-Za-z0-9_-]{1,64}$")
                wanted = {"code": {"execution_count", "outputs"}, "markdown": set()}[cell["cell_type"]]
                self.assertEqual(set(cell), wanted | {"cell_type", "id", "metadata", "source"}, cell["id"])
                for target in re.findall(r"\]\(([^)#]+)", "".join(cell["source"])) if cell["cell_type"] == "markdown" else []:
                    self.assertTrue(os.path.exists(os.path.join(FOLDER, target)), f"{name}: {target}")


def update(folder):
    """Writes outputs into the notebooks, and their pictures as PNG into a folder, if any."""
    for path in sorted(glob.glob(FOLDER + "/*.ipynb")):
        book = read(path)
        for cell, count, outputs, images in run(book):
            cell["outputs"], cell["execution_count"] = outputs, count
            for at, image in enumerate(images if folder else []):
                pyplot.imsave(os.path.join(folder, f"{os.path.basename(path)[:-6]}-{count:02d}-{at}.png"), image)
        write(path, book)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update(sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None)
    else:
        main()
