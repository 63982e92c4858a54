#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes report.png: the key figures, fabric and queues of the page that the guide's chapter about reports makes first.

Usage: make_report_picture.py PAGE [OUTPUT]     PAGE: pfc.html of docs/guide/08-report.md; needs chromium and chromedriver
"""
import pathlib
import sys

import PIL.Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/regression/results"))
from report_browser import Browser  # noqa: E402

WIDTH = 1280  # pixels
# The simulator's own speed is of the machine.
PICK = """
for (const section of document.querySelectorAll('main section')) section.hidden = !['summary', 'fabric', 'queues'].includes(section.id);
for (const heading of document.querySelectorAll('#summary h3')) {
  if (heading.textContent === 'Simulator') heading.hidden = heading.nextElementSibling.style.display = 'none';
}
document.querySelector('footer').hidden = true;
"""


def main():
    output = sys.argv[2] if len(sys.argv) > 2 else str(pathlib.Path(__file__).with_name("report.png"))
    browser = Browser()
    try:
        browser.open(sys.argv[1], WIDTH, 1000, "light")
        browser.run(PICK)
        browser.screenshot(output, WIDTH)
    finally:
        browser.close()
    PIL.Image.open(output).quantize(256, PIL.Image.Quantize.MAXCOVERAGE, dither=PIL.Image.Dither.NONE).save(output, optimize=True)


if __name__ == "__main__":
    main()
