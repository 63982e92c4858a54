#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Opens pages of heddle report in headless Chromium and prints what is wrong with them.

Uses WebDriver with chromedriver and the standard library only. For every page, in light and in dark, at 1400 and at 400
pixels of width: no message on the console, no request but the page itself, every chart that is expected is there and is not
blank, and nothing is wider than the window or its tile.

With --use it points at views of a page and clicks, wide, and compares what they say.

Usage: report_browser.py [--views some|all] PAGE[=CHART,CHART...] ... [--use PAGE=VIEW,VIEW ...] [--screenshots FOLDER]
Exit code 0, 1 (complaints), 77 (no Chromium). With some views a page is seen wide in one scheme and narrow in the other, the next page
the other way round.
"""
import argparse
import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM_FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-device-scale-factor=1"]

# What a chart's canvas shows: colours that are not the paper's, and the share of pixels that have them.
LOOK = """
const out = {};
for (const figure of document.querySelectorAll('figure[data-chart]')) {
  const canvas = figure.querySelector('canvas');
  if (!canvas || !canvas.width || !canvas.height) { out[figure.dataset.chart] = null; continue; }
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  let drawn = 0, coloured = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] < 40) continue;
    ++drawn;
    const [r, g, b] = [pixels[i], pixels[i + 1], pixels[i + 2]];
    colours.add((r >> 4) << 8 | (g >> 4) << 4 | b >> 4);
    if (Math.max(r, g, b) - Math.min(r, g, b) > 60) ++coloured;  // curves, bars and hot cells; axes are grey
  }
  out[figure.dataset.chart] = {colours: colours.size, drawn: drawn / (pixels.length / 4), coloured};
}
return {charts: out, listed: window.heddleReport ? window.heddleReport.charts : null,
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  spilt: [...document.querySelectorAll('.tile b')].filter((value) => value.scrollWidth > value.clientWidth).map((value) => value.textContent),
  fetched: performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !/^(data|blob):/.test(name)),
  injected: document.querySelectorAll('img, iframe, object, script[src], link[rel=stylesheet]').length + (window.injected || 0)};
"""


class Browser:
    """A session of Chromium behind a chromedriver of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="heddle-chromium-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = "http://127.0.0.1:%d" % port
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=%d" % port, "--log-level=OFF"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.session = None
        options = {"binary": shutil.which("chromium"), "args": CHROMIUM_FLAGS + ["--user-data-dir=" + self.folder]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        for attempt in range(100):
            try:
                self.session = self.call("POST", "/session", wanted)["sessionId"]
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:400]) from None

    def do(self, method, path, body=None):
        return self.call(method, "/session/" + self.session + path, body)

    def run(self, script):
        return self.do("POST", "/execute/sync", {"script": script, "args": []})

    def devtools(self, command, **parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page, width, height, scheme):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", media="screen", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.do("POST", "/url", {"url": "file://" + os.path.abspath(page)})
        for attempt in range(100):
            if self.run("return Boolean(window.heddleReport)"):
                break
            time.sleep(0.05)
        self.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def move(self, x, y, click=False):
        """Moves the pointer to a place in the window, and clicks there."""
        steps = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if click:
            steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]})

    def drag(self, x, y, to):
        """Presses at a place, moves to another of equal height, and lets go."""
        move = {"type": "pointerMove", "duration": 0, "y": int(y)}
        steps = [{**move, "x": int(x)}, {"type": "pointerDown", "button": 0}, {**move, "x": int(to)}, {"type": "pointerUp", "button": 0}]
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]})

    def tip(self, view):
        """The lines of the tooltip that a view shows, or none."""
        return self.run("return [...document.querySelectorAll('[data-view=%s] .tip:not([hidden]) > *')].map((line) => line.textContent)" % view)

    def place(self, script):
        """The middle of the element that `script` is, scrolled into the window."""
        return self.run("const at = %s; at.scrollIntoView({block: 'center', behavior: 'instant'}); const box = at.getBoundingClientRect();"
                        "return [box.left + box.width / 2, box.top + Math.min(8, box.height / 2)]" % script)

    def screenshot(self, path, width):
        height = min(16000, self.run("return document.documentElement.scrollHeight"))
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.do("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self.do("DELETE", "")
        except (RuntimeError, urllib.error.URLError):
            pass
        self.driver.terminate()
        self.driver.wait(timeout=10)
        shutil.rmtree(self.folder, ignore_errors=True)


def check(browser, page, charts, width, scheme):
    """Complaints about the page as it is open now."""
    where = "%s, %d px, %s: " % (os.path.basename(page), width, scheme)
    complaints = [where + "console: " + entry["message"] for entry in browser.do("POST", "/se/log", {"type": "browser"})]
    seen = browser.run(LOOK)
    if seen["listed"] is None:
        return complaints + [where + "the page's script did not come to its end"]
    if seen["wide"] > 0:
        complaints.append(where + "%d pixels wider than the window" % seen["wide"])
    complaints += [where + "'%s' is wider than its tile" % text for text in seen["spilt"]]
    complaints += [where + "fetches " + name for name in seen["fetched"]]
    if seen["injected"]:
        complaints.append(where + "has %d elements that came from data" % seen["injected"])
    for name in charts:
        if name not in seen["charts"]:
            complaints.append(where + "no chart " + name)
    for name, look in seen["charts"].items():
        if look is None or look["colours"] < 4 or look["drawn"] < 0.005 or look["coloured"] < 20:
            complaints.append(where + "chart %s looks blank: %s" % (name, look))
    return complaints


def use_steps(browser):
    """Complaints about the bars of steps: the tooltip of a part, and whether the parts add up to the bar."""
    if not browser.run("return Boolean(document.querySelector('[data-view=steps]'))"):
        return ["no bars of steps"]
    browser.move(*browser.place("document.querySelector('[data-view=steps] .part')"))
    lines = browser.tip("steps")
    if len(lines) != 3 or " of " not in lines[1] or not lines[2].endswith("%"):
        return ["the tooltip of a part of a step says %s" % lines]
    sums = browser.run("return report.runs.flatMap((run) => run.step.jobs.map((job) => "
                       "job.parts.reduce((sum, part) => sum + part.ps, 0) / job.ps))")
    return ["the parts of a step are %f of it" % total for total in sums if abs(total - 1) > 1e-6]


def use_fabric(browser):
    """Complaints about the drawn fabric: the tooltip of a link, who used it after a click, another moment, another run."""
    if not browser.run("return Boolean(document.querySelector('[data-view=fabric] canvas'))"):
        return ["no fabric is drawn"]
    complaints = []
    browser.place("document.querySelector('[data-view=fabric] canvas')")
    name = browser.run("return heddleReport.views.fabric.busiest()")
    at = browser.run("return heddleReport.views.fabric.pointOf('%s')" % name)
    browser.move(*at)
    lines = browser.tip("fabric")
    if name not in lines or not any("% of" in line.replace("\u00a0", " ") for line in lines):
        complaints.append("the tooltip of %s says %s" % (name, lines))
    browser.move(*at, click=True)
    read = "return [...document.querySelectorAll('[data-view=fabric] .users %s')].map((element) => element.textContent)"
    if browser.run(read % "h3") != [name]:
        complaints.append("a click on %s shows %s" % (name, browser.run(read % "h3")))
    users = browser.run(read % "li")
    if not users or not all(" -> " in user and "job 0: " in user for user in users):
        complaints.append("users of %s are %s" % (name, users))
    if name not in browser.run("return [...document.querySelectorAll('[data-view=fabric] .rows button[aria-pressed=true]')].map((b) => b.textContent)"):
        complaints.append("%s is not marked in the list of the busiest" % name)
    moment = "return document.querySelector('.moment output').textContent"
    before = browser.run(moment)
    browser.run("const range = document.querySelector('.moment input'); range.value = 0; range.dispatchEvent(new Event('input'))")
    if browser.run(moment) == before or not browser.run(moment).startswith("0"):
        complaints.append("the first moment is %s, after %s" % (browser.run(moment), before))
    pressed = "return [...document.querySelectorAll('#fabric .switch')].map((button) => button.getAttribute('aria-pressed'))"
    if browser.run(pressed) == ["true", "false"]:
        browser.move(*browser.place("document.querySelectorAll('#fabric .switch')[1]"), click=True)
        if browser.run(pressed) != ["false", "true"]:
            complaints.append("a click on the second run's name does not switch to it")
        if browser.run("return document.querySelectorAll('[data-view=fabric]').length") != 1:
            complaints.append("two fabrics after a switch of runs")
    return complaints


def use_timeline(browser):
    """Complaints about the time lines: the tooltip of a bar, a part of the axis that is chosen, a run that is switched off."""
    if not browser.run("return Boolean(document.querySelector('[data-view=timeline] canvas'))"):
        return ["no time lines"]
    complaints = []
    browser.place("document.querySelector('[data-view=timeline] canvas')")
    bar = browser.run("return heddleReport.views.timeline.of(0).longest(0)")
    browser.move(bar["x"], bar["y"])
    lines = browser.run("return [...document.querySelectorAll('#timeline .tip:not([hidden]) > *')].map((line) => line.textContent)")
    if len(lines) < 3 or lines[0] != bar["gpu"] or not lines[1].startswith(bar["label"]) or " to " not in lines[2]:
        complaints.append("the tooltip of %s on %s says %s" % (bar["label"], bar["gpu"], lines))
    axis = "const axis = heddleReport.views.timeline.axis; return [axis.from / axis.until, axis.to / axis.until]"
    browser.drag(bar["x"], bar["y"], bar["x"] + 60)
    part = browser.run(axis)
    if not 0.01 < part[1] - part[0] < 0.2:
        complaints.append("the axis is from %f to %f of the run after 60 pixels were chosen" % tuple(part))
    browser.move(*browser.place("[...document.querySelectorAll('#timeline .switch')].find((button) => button.textContent === 'Whole run')"), click=True)
    if browser.run(axis) != [0, 1]:
        complaints.append("'Whole run' leaves the axis at %s" % browser.run(axis))
    shown = "return [...document.querySelectorAll('#timeline figure')].map((figure) => figure.clientHeight > 0)"
    if browser.run(shown) == [True, True]:
        browser.move(*browser.place("document.querySelector('#timeline .switch')"), click=True)
        if browser.run(shown) != [False, True]:
            complaints.append("a click on the first run's name does not hide it")
    return complaints


USES = {"steps": use_steps, "fabric": use_fabric, "timeline": use_timeline}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--views", choices=("some", "all"), default="all")
    parser.add_argument("--screenshots")
    parser.add_argument("--use", nargs="*", default=[], metavar="PAGE=VIEW,VIEW", help="views of a page to be used: " + ", ".join(USES))
    arguments = parser.parse_args()
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("SKIPPED: no chromium or no chromedriver here; pages were not opened (Debian: chromium, chromium-driver)")
        return 77
    complaints, views = [], 0
    uses = dict(argument.split("=") for argument in arguments.use)
    browser = Browser()
    try:
        for number, argument in enumerate(arguments.pages):
            page, _, names = argument.partition("=")
            for dark, scheme in enumerate(("light", "dark")):
                for narrow, width in enumerate((1400, 400)):
                    if arguments.views == "some" and (number + dark + narrow) % 2:
                        continue
                    browser.open(page, width, 900, scheme)
                    complaints += check(browser, page, [name for name in names.split(",") if name], width, scheme)
                    for use in uses.get(page, "").split(",") if not narrow else []:
                        complaints += ["%s, %s: %s" % (page, scheme, text) for text in (USES[use](browser) if use else [])]
                    views += 1
                    if arguments.screenshots:
                        stem = os.path.splitext(os.path.basename(page))[0]
                        browser.screenshot("%s/%s-%s-%d.png" % (arguments.screenshots, stem, scheme, width), width)
    finally:
        browser.close()
    for complaint in complaints:
        print("FAILED  " + complaint)
    print("%d views, %d complaints" % (views, len(complaints)))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
