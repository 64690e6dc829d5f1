#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Opens reports in headless Chromium: nothing may complain, every chart must be drawn, keys and pointer must act,
whatever the data lack or hold. Leaves screenshots and a print in FOLDER. Skipped (77), loudly, without Chromium or
Chart.js.

usage: html_report.py SAMPLE FOLDER      SAMPLE KIND writes a report: see html_report_sample.cpp
"""
import json
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser

# Of a canvas: how many pixels are painted, and how many of the colours of the algorithms are among them.
PAINTED = """selector => {
  const canvas = document.querySelector(selector), {width, height} = canvas;
  const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const pixels = copy.getImageData(0, 0, width, height).data, found = new Set();
  const style = getComputedStyle(document.documentElement);
  const hueOf = i => parseInt(style.getPropertyValue(`--series-${i + 1}`).trim().slice(1), 16);
  const hues = new Set(Array.from({length: 10}, (_, i) => hueOf(i)));
  let painted = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] === 0) continue;
    ++painted;
    const color = pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    if (hues.has(color)) found.add(color);
  }
  return [painted, found.size];
}"""
CHARTS = ("#by-size", "#by-ranks", "#moved", "#fan-in", "#prediction")
SHAPES = {"light": dict(width=1400, height=900), "dark": dict(width=1400, height=900, dark=True),
          "phone": dict(width=360, height=780, phone=True)}


class Report(unittest.TestCase):
    def setUp(self):
        chromium.complaints.clear()

    def tearDown(self):
        self.assertEqual(chromium.complaints, [])

    def pick(self, **choices):
        for name, value in choices.items():
            chromium.evaluate(f"""(() => {{ const one = document.getElementById("{name}"); one.value = "{value}";
                one.dispatchEvent(new Event("change")); }})()""")

    def lecture(self, **shape):
        """Of the simulated times, which are known for more ranks than the measured ones, which it begins with."""
        self.show("lecture", **shape)
        self.pick(time="simulated_us", ranks=1024, bytes=128 << 10)

    def show(self, kind, **shape):
        path = folder / f"{kind}.html"
        path.write_bytes(subprocess.run([sample, kind], stdout=subprocess.PIPE, check=True, timeout=60).stdout)
        chromium.shape(**(shape or SHAPES["light"]))
        chromium.open(path)
        ready = chromium.evaluate("document.documentElement.dataset.ready")
        self.assertEqual(ready, "true", "its script ran to the end")

    def painted(self, section):
        return chromium.evaluate(f"({PAINTED})('{section} canvas')")

    def text(self, selector):
        return chromium.evaluate(f"document.querySelector('{selector}').textContent").replace("\u00a0", " ")

    def count(self, selector):
        return chromium.evaluate(f"document.querySelectorAll(`{selector}`).length")

    def focus(self, selector):
        chromium.evaluate(f"document.querySelector(`{selector}`).focus()")

    def middle_of(self, selector):
        return chromium.evaluate(f"""(() => {{ const one = document.querySelector('{selector}');
            one.scrollIntoView({{block: "center"}}); const box = one.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")

    def test_every_chart_is_drawn_in_every_shape(self):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                self.lecture(**shape)
                for section in CHARTS:
                    pixels, hues = self.painted(section)
                    self.assertGreater(pixels, 5000, section)
                    self.assertGreaterEqual(hues, 1 if section in ("#moved", "#fan-in") else 6, section)
                self.assertEqual(self.count("#winners td[data-winner]"), 260)
                self.assertEqual(self.count("#timeline .bar"), 48)
                self.assertEqual(self.count("#timeline .arrow"), 24)
                wide = chromium.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, shape["width"], "nothing is wider than the screen")
                chromium.screenshot(folder / f"{name}.png")
        background = chromium.evaluate("getComputedStyle(document.body).backgroundColor")
        chromium.shape(**SHAPES["dark"])
        self.assertNotEqual(chromium.evaluate("getComputedStyle(document.body).backgroundColor"), background)

    def test_what_was_measured_comes_first_and_ranks_without_are_named(self):
        self.show("lecture")
        self.assertEqual(chromium.evaluate("['time', 'ranks'].map(id => document.getElementById(id).value)"),
                         ["measured_us", "4"])
        self.assertIn("No measured time: on 8, 16, 32, 64, 128, 256, 512 and 1,024 ranks.", self.text("#glance ul"))
        self.pick(time="simulated_us")
        # 6 of 2, 4 ... 1024, evenly spread: of the places 0 to 9 those next to 0, 1.8, 3.6, 5.4, 7.2 and 9
        self.assertIn("Not told here: 4, 16, 128 and 512 ranks,", self.text("#glance ul"))

    def test_names_of_bars_are_whole_and_bars_begin_at_nothing(self):
        for width in (1280, 400, 320):
            self.show("long_names", width=width, height=900)
            for section in ("#moved", "#fan-in"):
                with self.subTest(f"{section} at {width}"):
                    axis, names, least, rows = chromium.evaluate("""(selector => {
                        const {ctx, scales: {x, y}} = Chart.getChart(document.querySelector(`${selector} canvas`));
                        ctx.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;
                        const lines = y.ticks.flatMap(tick => tick.label);
                        return [y.width, Math.max(...lines.map(line => ctx.measureText(line).width)), [x.type, x.min],
                            Math.max(...y.ticks.map(tick => tick.label.length)) * 1.2 * Chart.defaults.font.size
                              / (y.height / y.ticks.length)];
                    })""" + f"('{section}')")
                    self.assertLess(names, axis)
                    self.assertEqual(least, ["linear", 0])
                    self.assertLess(rows, 1, "the lines of a name fit into its row")

    def datasets(self, expression, chart="#by-size"):
        return chromium.evaluate(f"Chart.getChart(document.querySelector('{chart} canvas')).data.datasets{expression}")

    def test_who_selects_a_curve_sees_the_others_fade(self):
        self.show("lecture")
        faded = ".filter(set => set.borderColor.length > 7).map(set => set.series)"
        self.focus('#by-size [data-series="ring"]')
        others = ["naive", "parameter_server", "one_shot", "butterfly", "halving_doubling", "binomial_tree"]
        self.assertEqual(self.datasets(faded), others)
        chromium.evaluate("document.activeElement.blur()")
        self.assertEqual(self.datasets(faded), [])
        x, y = chromium.evaluate("""(() => { const canvas = document.querySelector("#by-size canvas");
            canvas.scrollIntoView({block: "center"});
            const box = canvas.getBoundingClientRect(), at = Chart.getChart(canvas).getDatasetMeta(0).data.at(-1);
            return [box.x + at.x, box.y + at.y]; })()""")
        for what in ("mousePressed", "mouseReleased"):
            chromium.mouse(what, x, y, button="left", buttons=1, clickCount=1)
        chromium.settle()  # Chart.js answers with the next frame
        self.assertEqual(chromium.evaluate("document.activeElement.dataset.series"), "naive")
        self.assertIn("ring", self.datasets(faded))

    def saved(self, table):
        """What the table's button saves, as lines."""
        return chromium.evaluate("""(async selector => { let blob; const made = URL.createObjectURL;
            URL.createObjectURL = one => { blob = one; return made.call(URL, one); };
            document.querySelector(`${selector} .csv`).click();
            URL.createObjectURL = made;
            return await blob.text(); })""" + f"('{table}')").split("\r\n")

    def test_every_table_can_be_saved(self):
        self.lecture()
        self.assertEqual(self.saved("#algorithms table")[0],
                         "algorithm,how it works,depth,rounds,messages,total bytes,fan-in,"
                         "\"closed form, µs\",\"simulated, µs\"")
        # of 128 KiB on 1024 ranks: a ring of 2 (P - 1) rounds, in which each rank sends a message of n / P bytes
        self.assertTrue(self.saved("#algorithms table")[4].startswith("ring,"))
        self.assertIn(f",2046,2046,{2046 * 1024},{2046 * 128 * 1024},1,", self.saved("#algorithms table")[4])
        self.assertEqual(self.saved("#winners table")[0], ",2,4,8,16,32,64,128,256,512,1024")
        # By LogGP, 9 µs a message: 9 and 9.5 µs on 2 ranks, 18 and 13.5 on 4, 27 and 21.5 on 8, 36 and 37.5 on 16.
        self.assertTrue(self.saved("#winners table")[1].startswith("8,butterfly,one_shot,one_shot,butterfly,"))
        for kind in ("lecture", "lessons", "training", "bench", "large_bench", "study"):
            self.show(kind)
            self.assertGreater(self.count("table"), 0)
            self.assertEqual(self.count("table"), self.count("table > caption > .csv"), kind)
        self.assertEqual(self.saved("section > .scroll table"), ['way,"a, ""b"""', "one,1 ± 2", ""])

    def test_a_study_has_labels_on_its_axes_bars_at_one_place_and_bands_within_reason(self):
        for width in (1280, 400):
            self.show("study", width=width, height=900)
            x, y = chromium.evaluate("""[...document.querySelectorAll("canvas")].map(one => Chart.getChart(one).scales)
                .map(({x, y}, i) => (i === 0 ? x : y).ticks.map(tick => tick.label).filter(Boolean))""")[:2]
            self.assertGreaterEqual(min(len(x), len(y)), 2, f"{x} {y}")
        self.assertIn("0.1", x)  # between 0.013 and 0.4
        self.assertTrue({"0.21", "0.22", "0.25"} & set(y), y)
        self.assertEqual(chromium.evaluate("""[...document.querySelectorAll("canvas")].map(one => Chart.getChart(one))
            .map(one => one.config.type)"""), ["line", "line", "bar"])
        bands = "(set => set.isBand ? set.data.map(point => point.y) : [])"
        self.assertEqual(self.datasets(f".flatMap{bands}", "figure"), [0, 30, 60, 100, 0, 10, 70, 100])
        forms = self.datasets(".filter(set => !set.isBand).map(set => `${set.borderDash} ${set.pointStyle}`)", "figure")
        self.assertEqual(len(set(forms)), 2, "told apart without colour")
        chromium.evaluate("document.querySelector('[data-series=b]').click()")
        shown = self.datasets(".map((_, i) => Chart.getChart(document.querySelector('canvas')).isDatasetVisible(i))", "figure")
        self.assertEqual(shown, [True] * 3 + [False] * 3, "a line with its band")

    def points(self, name, key, chart):
        return self.datasets(f".find(set => set.label === '{name}').data.map(point => +point.{key}.toFixed(4))", chart)

    def test_a_bench_has_two_runs_their_intervals_and_predictions_over_each_other(self):
        self.show("bench")
        time, bandwidth = "figure:nth-of-type(1)", "figure:nth-of-type(2)"
        self.assertEqual(self.points("ring", "x", time), [1024, 4096, 16384])  # a logarithm has no place for 0 B
        self.assertEqual(self.points("ring", "y", time), [10, 40, 160])
        self.assertEqual(self.points("ring: low", "y", time), [9, 36, 144])
        self.assertEqual(self.points("ring: high", "y", time), [11, 44, 176])
        self.assertEqual(self.points("ring, earlier", "y", time), [20, 80, 320])
        self.assertEqual(self.points("ring, predicted", "y", time), [5, 20, 80])
        # 1.5 times 1024 B in 10 us, the longer the less: in 11 us and in 9 us; as predicted, in 5 us
        self.assertEqual(self.points("ring", "y", bandwidth), [0.1536] * 3)
        self.assertEqual(self.points("ring: low", "y", bandwidth), [0.1396] * 3)
        self.assertEqual(self.points("ring: high", "y", bandwidth), [0.1707] * 3)
        self.assertEqual(self.points("ring, predicted", "y", bandwidth), [0.3072] * 3)
        looks = self.datasets(".filter(set => set.series !== 'butterfly' && !set.isBand).map(set => "
                              "[set.borderColor, set.borderDash])", time)
        self.assertNotEqual(looks[0][0], looks[1][0])
        self.assertEqual([dash for _, dash in looks], [[], [2, 3], [6, 5]])
        saved = self.saved("section > .scroll table")
        self.assertEqual(saved[0], 'operation,algorithm,data,"size, bytes","time, µs","from, µs","to, µs","busbw, GB/s",wrong,'
                         '"predicted, µs",measured / predicted,"earlier, µs",now / earlier,from,to,change')
        self.assertTrue(saved[3].startswith('allreduce,ring,"float32, sum, out of place",1024,10,9,11,0.1536,0,5,2,20,0.5,'
                                            '0.45,0.55,faster'), saved[3])
        self.assertIn("Wrong: 3 elements of allreduce ring, 4 KiB", self.text("section:last-of-type .text"))
        self.assertIn("2 cores on the first host, fewer than ranks", self.text("#lead"))
        self.assertIn("Other work used up to 0.25 cores", self.text("#lead"))
        self.show("bench_of_one_size")
        self.assertEqual([self.count("canvas"), self.count("section > .scroll tbody tr")], [0, 1])

    def test_a_large_bench_is_read_on_any_screen(self):
        for width in (1280, 400):
            for kind in ("large_bench", "bench", "bench_of_one_size"):
                with self.subTest(f"{kind} at {width}"):
                    self.show(kind, width=width, height=900)
                    self.assertLessEqual(chromium.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(chromium.evaluate("""[...document.querySelectorAll(".legend button")].filter(
                        one => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth).length"""), 0)
                    least = chromium.evaluate("""Math.min(99, ...[...document.querySelectorAll("canvas")].flatMap(one => {
                        const {ctx, scales: {x}} = Chart.getChart(one);
                        ctx.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;
                        const ends = x.ticks.map((tick, i) => [x.getPixelForTick(i), ctx.measureText(tick.label).width / 2]);
                        return ends.slice(1).map(([at, half], i) => at - half - ends[i][0] - ends[i][1]);
                    }))""")
                    self.assertGreater(least, 2, "labels stand apart")
                    chromium.screenshot(folder / f"{kind}-{width}.png")
            self.show("large_bench", width=width, height=900)
            self.assertEqual([self.count("canvas"), self.count("section:last-of-type tbody tr")], [20, 600 + 25])

    def test_a_training_has_its_curves_and_settings(self):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                self.show("training", **shape)
                for section, lines in {"#loss": 2, "#accuracy": 2, "#communication": 0}.items():
                    pixels, hues = self.painted(section)
                    self.assertGreater(pixels, 5000, section)
                    self.assertGreaterEqual(hues, lines, section)
                    self.assertEqual(self.count(f"{section} details.data tbody tr"), 3)
                wide = chromium.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, shape["width"], "nothing is wider than the screen")
                chromium.screenshot(folder / f"training-{name}.png")
        self.assertIn("A training of mlp on 4 ranks", self.text("#title"))
        self.assertFalse(chromium.evaluate("document.getElementById('parameters').open"))
        self.assertIn("hidden layers", self.text("#parameters table"))
        self.assertIn("83.33 %", self.text("#accuracy table"))

    def test_messages_pair_in_the_order_of_the_list_also_where_bars_are_left_out(self):
        self.show("lecture")
        # The second send of the list is the first by its step and its begin; then more bars than are drawn.
        source = (pathlib.Path(__file__).resolve().parents[2] / "tools/report/timeline.js").read_text()
        pairs = chromium.evaluate("""(source => {
            const pairsOf = new Function(source + ";return list => pair(barsOf({activities: list}));")();
            const late = [[0, 5, "send", 1, 8, 9, 9.5], [0, 4, "send", 1, 8, 1, 2],
            [1, 0, "receive", 0, 8, 8, 10], [1, 1, "receive_reduce", 0, 8, 0, 3]];
            const full = [[0, 0, "send", 1, 8, 1e6, 1e6], [0, 1, "send", 1, 8, 0, 1], [1, 0, "receive", 0, 8, 0, 1e6],
                [1, 1, "receive", 0, 8, 0, 1], ...Array(1497).fill([2, 0, "copy", -1, 8, 1, 2])];
            return [late, full].map(list => pairsOf(list)
                .map(one => `${one.send.step}-${one.receive.step}`).sort().join(" ")); })""" + f"({json.dumps(source)})")
        self.assertEqual(pairs, ["4-1 5-0", "1-1"])

    def test_the_text_tells_the_reports_own_numbers(self):
        self.lecture()
        self.assertIn("up to 1,023 ranks send to one at once instead of 1", self.text("#counts .text"))
        self.assertIn("In naive one rank takes in 128 MiB, 512 times the 256 KiB of ring", self.text("#counts .text"))
        self.assertIn("In one_shot every rank takes in 128 MiB", self.text("#counts .text"))
        self.assertIn("364 of 364 predictions are within 25 %", self.text("#prediction .text"))

    def column(self, size):
        """How many pixels of the chart by size are painted in the column of that size."""
        return chromium.evaluate("""(size => {
            const canvas = document.querySelector("#by-size canvas");
            const at = Math.floor(Chart.getChart(canvas).scales.x.getPixelForValue(size) * devicePixelRatio);
            const copy = new OffscreenCanvas(1, canvas.height).getContext("2d", {willReadFrequently: true});
            copy.drawImage(canvas, -at, 0);
            return copy.getImageData(0, 0, 1, canvas.height).data.filter((value, i) => i % 4 === 3 && value > 0).length; })""" + f"({size})")

    def is_marked(self, size):
        return self.column(size) > self.column(size * 1.1) + 50

    def test_crossovers_are_those_that_the_report_was_given(self):
        self.lecture()
        given = chromium.evaluate("JSON.parse(document.getElementById('data').textContent).fastest")
        lines = chromium.evaluate("""[...document.querySelectorAll("#winners details.data tbody tr")].map(
            row => [...row.children].map(cell => cell.textContent.replaceAll("\u00a0", " ")))""")
        as_printed = ["; from ".join([one["at_smallest"], *(f"{c['size']} on {c['to']}" for c in one["changes"])])
                      for one in given]
        self.assertEqual(lines, [[f"{one['ranks']:,}", line] for one, line in zip(given, as_printed)])
        first = chromium.evaluate("""[...document.querySelectorAll("#winners .map tbody tr:first-child td")].map(
            cell => cell.dataset.winner)""")
        self.assertEqual(first, [one["at_smallest"] for one in given])
        self.assertIn("(simulated)", self.text("#winners details.data caption"))
        self.assertIn("1,024 ranks, simulated: butterfly; from 90 KiB on halving_doubling.", self.text("#glance ul"))
        self.assertIn("the fastest is butterfly; from 90 KiB on halving_doubling. Crossover sizes, the upright"
                      " lines, are those of the simulated times of all algorithms.", self.text("#by-size .text"))
        self.assertTrue(self.is_marked(given[-1]["changes"][0]["bytes"]))
        top = chromium.evaluate("Chart.getChart(document.querySelector('#by-size canvas')).chartArea.top")
        self.assertGreaterEqual(top, 72, "the sizes stand above the curves")
        self.assertFalse(self.is_marked(given[0]["changes"][0]["bytes"]), "the crossover of 2 ranks")

    def test_crossovers_are_shown_for_the_time_and_the_algorithms_that_they_are_of(self):
        def press(algorithm):
            chromium.evaluate(f"document.querySelector('#by-size [data-series=\"{algorithm}\"]').click()")

        self.lecture()
        size, elsewhere = 91911, "The exact crossover sizes are known for the simulated times of all algorithms."
        press("naive")
        self.assertIn("butterfly; from 90 KiB on halving_doubling", self.text("#by-size .text"), "never wins")
        for hide, back in ((lambda: press("butterfly"), lambda: press("butterfly")),
                           (lambda: self.pick(time="closed_form_us"), lambda: self.pick(time="simulated_us"))):
            hide()
            self.assertIn(elsewhere, self.text("#by-size .text"))
            self.assertNotIn("90 KiB", self.text("#by-size .text") + self.text("#glance ul"))
            self.assertFalse(self.is_marked(size))
            back()
            self.assertTrue(self.is_marked(size))
        self.pick(time="closed_form_us")
        self.assertRegex(self.text("#by-size .text"), "fastest is butterfly at 8 B to .*KiB, then .* to 256 MiB[.]")

    def test_what_is_compared_is_told_apart_from_forms_and_simulations_and_auto_is_marked(self):
        self.show("forms")
        names = chromium.evaluate('[...document.getElementById("time").options].map(one => one.textContent)')
        self.assertEqual(names, ["predicted", "closed form", "simulated"])
        self.assertEqual(chromium.evaluate('document.getElementById("time").value'), "predicted_us")
        self.assertIn("ring (auto: 2 segments)", self.text("#algorithms"))

    def test_an_estimate_is_marked_and_does_not_win_among_closed_forms(self):
        self.show("forms") # butterfly's form is an estimate there, and the least of all for few bytes
        cells = chromium.evaluate("""Object.fromEntries([...document.querySelectorAll("#algorithms tbody tr")].map(
            row => [row.children[0].textContent, [...row.children].slice(-3).map(cell => cell.textContent)]))""")
        self.assertTrue(all(text.startswith("~") for text in cells["butterfly"][:2]), cells)
        self.assertFalse(any("~" in text for text in cells["ring (auto: 2 segments)"]), cells)
        self.assertEqual([text[0] == "~" for text in cells["parameter_server"][:2]], [False, True], "simulated instead")
        self.assertGreater(self.count('#winners td[data-winner="butterfly"]'), 0)
        self.pick(time="closed_form_us")
        self.assertEqual(self.count('#winners td[data-winner="butterfly"]'), 0)
        self.assertIn("Without an exact closed form time here, and so left out in places: parameter_server and butterfly",
                      self.text("#by-size .text"))

    def test_what_differs_by_rounding_is_tied_and_the_first_of_the_list_wins(self):
        self.show("ties")
        self.pick(time="closed_form_us", ranks=1024)
        column = chromium.evaluate("""[...document.querySelectorAll("#winners .map tbody tr")].map(
            row => row.children[1]).map(cell => [cell.dataset.winner, cell.textContent])""")
        self.assertEqual(column, [["one_shot", "1-shot ="]] * 17 + [["parameter_server", "PS ="]] * 9)
        self.assertIn("one_shot at 8 B to 512 KiB, then parameter_server at 1 MiB to 256 MiB. Tied with the fastest: "
                      "butterfly at 17, ring at 9 and halving_doubling at 9 of 26 sizes.", self.text("#glance ul"))
        self.assertRegex(self.text("#winners .text"), r" [0-9]+ are tied \(=\): the first of the list is named\.")
        chromium.evaluate("""document.querySelector("#winners .map tbody td").click()""")
        told = chromium.evaluate("""document.querySelector("#winners td[aria-current]").title""")
        self.assertIn(", tied with butterfly", told)
        self.assertIn("Tied with the fastest: butterfly at 1 of 10 numbers of ranks.", self.text("#by-ranks .text"))

    def test_each_chart_has_a_name_and_its_data_as_a_table(self):
        self.lecture()
        self.assertEqual(self.count("canvas[role=img][aria-label]"), len(CHARTS))
        self.assertEqual(self.count("figure details.data tbody"), len(CHARTS) + 2)
        self.assertEqual(self.count("#by-size details.data tbody tr"), 26)
        self.assertEqual(self.count("button:not([aria-label]):empty"), 0)

    def test_what_is_chosen_is_shown(self):
        self.lecture()
        before = self.text("#by-size .text")
        self.pick(time="measured_us")
        self.assertIn("No measured times on 1,024 ranks", self.text("#by-size .text"))
        chromium.evaluate("""document.querySelector('#winners td[data-winner]').click()""")
        self.assertNotEqual(self.text("#by-size .text"), before)
        self.assertIn("2 ranks", self.text("#by-size figcaption"))

    def test_a_line_is_taken_away_everywhere_by_its_legend(self):
        self.lecture()
        self.assertGreater(self.count('#winners td[data-winner="butterfly"]'), 0)
        _, hues = self.painted("#by-size")
        chromium.evaluate("""document.querySelector('#by-size [data-series="butterfly"]').click()""")
        self.assertEqual(self.painted("#by-size")[1], hues - 1)
        self.assertEqual(self.count('#winners td[data-winner="butterfly"]'), 0)
        self.assertEqual(self.count('#prediction [data-series="butterfly"][aria-pressed="false"]'), 1)

    def limits(self):
        return chromium.evaluate("""(() => {
            const {x, y} = Chart.getChart(document.querySelector("#by-size canvas")).scales;
            return [x.min, x.max, y.min, y.max]; })()""")

    def test_it_zooms_by_buttons_keys_box_and_wheel_and_back(self):
        self.lecture()
        whole = self.limits()
        x, y = self.middle_of("#by-size canvas")

        def drag():
            for what, by in (("mousePressed", 0), ("mouseMoved", 90), ("mouseReleased", 120)):
                chromium.mouse(what, x + by, y + by, button="left", buttons=1, clickCount=1)

        ways = {"button": lambda: chromium.evaluate("document.querySelector('#by-size .zoom button').click()"),
                "key": lambda: (self.focus("#by-size .stage"), chromium.press("+")),
                "box": drag,
                "wheel": lambda: chromium.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120, modifiers=2)}
        for name, zoom in ways.items():
            with self.subTest(name):
                zoom()
                near = self.limits()
                self.assertLess(near[1] / near[0], whole[1] / whole[0])
                self.assertLess(near[3] / near[2], whole[3] / whole[2])
                chromium.evaluate("document.querySelector('#by-size .zoom button:last-child').click()")
                self.assertEqual(self.limits(), whole)

    def test_values_are_told_to_pointer_and_keys(self):
        self.lecture()
        chromium.mouse("mouseMoved", *self.middle_of("#by-size canvas"))
        tip = chromium.evaluate("Chart.getChart(document.querySelector('#by-size canvas')).tooltip.body"
                                ".flatMap(one => one.lines)")
        self.assertEqual(len(tip), 7)
        self.assertRegex(tip[0], "^butterfly: .*fastest$")
        chromium.mouse("mouseMoved", 2, 2)  # away, where it points at nothing
        self.focus("#by-ranks .stage")
        chromium.press("ArrowRight")
        self.assertIn("2 ranks, 128 KiB; butterfly: ", self.text("#by-ranks .readout"))
        self.focus('#winners td[tabindex="0"]')
        chromium.press("ArrowLeft")
        self.assertRegex(self.text("#winners .readout"), "^512 ranks, 128 KiB: halving_doubling, .* next is butterfly")
        chromium.press("Enter")
        self.assertIn("512 ranks", self.text("#by-size figcaption"))
        self.assertEqual(chromium.evaluate("document.activeElement.dataset.winner"), "halving_doubling", "still there")
        self.focus('#timeline .bar[tabindex="0"]')
        chromium.press("ArrowDown")
        self.assertIn("Rank 1, step 0: send to rank 2, 1 KiB", self.text("#timeline .readout"))

    def slide(self, name, to):
        chromium.evaluate(f"""(() => {{ const one = document.querySelector('#{name} + input[type=range]'); one.value = {to};
            one.dispatchEvent(new Event("input")); }})()""")

    def test_a_lecture_follows_its_sliders(self):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                self.show("lessons", **shape)
                wide = chromium.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, shape["width"], "nothing is wider than the screen")
                chromium.screenshot(folder / f"lecture_{name}.png")
        self.assertEqual(self.text("[data-lesson=ring] figcaption"),
                         "The schedule on 2 ranks; the text and the figures are of 8, which are too many to draw")
        self.pick(ranks=256)
        self.assertEqual(self.count("#lessons .lesson"), 2)
        self.assertTrue(chromium.evaluate(
            "Promise.all([...document.querySelectorAll('.lesson img')].map(one => one.decode())).then(() => true)"))
        self.assertEqual(self.text("[data-lesson=naive] .reason"),
                         "It takes in 31.9 GiB, 128 times as much as a rank of the ring.")
        pixels, _ = self.painted("#race")
        self.assertGreater(pixels, 5000)
        self.slide("ranks", 1)
        self.assertEqual(self.text("[data-lesson=ring] .reason"), "Each sends 192 MiB in 6 rounds, 6 messages.")
        self.assertIn("4 ranks, 128 MiB", self.text("#race figcaption") + self.text("[data-lesson=ring] caption"))
        self.slide("bytes", 0)
        self.assertIn("Each sends 12 B", self.text("[data-lesson=ring] .reason"))
        self.assertEqual(chromium.evaluate("document.getElementById('bytes').value"), "8")
        self.pick(ranks=1024)
        self.assertEqual(chromium.evaluate("document.querySelector('#ranks + input').value"), "9", "the slider follows")

    def test_a_lecture_puts_numbers_into_formulas_and_tells_both_names(self):
        self.show("lessons")
        self.pick(ranks=4, bytes=1 << 20, time="closed_form_us")
        self.assertEqual(self.text("[data-lesson=naive] .other-name"), "In textbooks: flat tree.")
        self.assertEqual(self.count("[data-lesson=ring] .other-name"), 0)
        # 2 (P - 1) = 6 times 10 us; 2 (P - 1) / P = 1.5 MiB at 0.1 ns/B; 0.75 MiB at 0.02 ns/B
        self.assertEqual(self.text("[data-lesson=ring] .formula"),
                         "T = 2 (P − 1) α + 2 n (P − 1) / P β + n (P − 1) / P γ"
                         "= 6 · 10 µs + 1.5 MiB · 0.1 ns/B + 768 KiB · 0.02 ns/B= 60 µs + 157 µs + 15.7 µs = 233 µs")
        self.pick(time="simulated_us")
        self.assertRegex(self.text("[data-lesson=ring] .formula"), "= 233 µs; simulated [0-9]+ µs$")
        self.assertIn("No sum of α, β and γ gives its time here", self.text("[data-lesson=naive] .formula"))

    def test_a_schedule_is_played_round_by_round(self):
        def holds():
            return chromium.evaluate("""[...document.querySelectorAll("#player .holds tbody td")].map(
                cell => `${cell.textContent}${cell.classList.contains("new") ? " new" : ""}`)""")

        self.show("lessons")
        self.assertEqual(holds(), ["0", "1"])
        self.focus('#player [data-step="1"]')
        chromium.press("Enter", text="\r")
        self.assertEqual(holds(), ["all new", "1"])
        self.assertEqual(self.text("#player .readout"), "Round 1 of 2. 1 → 0: chunk 0, added.")
        chromium.press("Enter", text="\r")
        self.assertEqual(holds(), ["all", "all new"])
        self.assertEqual(self.count('#player [data-step="1"]:disabled'), 1)
        chromium.evaluate("document.querySelector('#player [data-play]').click()")
        self.assertEqual((self.text("#player [data-play]"), holds()), ("Pause", ["0", "1"]))
        chromium.evaluate("new Promise(done => setTimeout(done, 3000))")
        self.assertEqual((self.text("#player [data-play]"), holds()), ("Play", ["all", "all new"]))

    def test_a_lecture_is_printed_with_a_lesson_on_one_page(self):
        self.show("lessons")
        self.assertEqual(chromium.evaluate("""(() => { const rules = [...document.styleSheets[0].cssRules]
            .filter(rule => rule.media?.mediaText === "print").flatMap(rule => [...rule.cssRules]);
            return rules.find(rule => rule.selectorText === ".lesson").style.breakInside; })()"""), "avoid")
        chromium.paper(folder / "lecture.pdf")
        self.assertGreater((folder / "lecture.pdf").stat().st_size, 50000)

    def test_the_parameters_of_the_machine_are_a_folded_table(self):
        self.show("lessons")
        self.assertEqual(self.text("#machine"), "a sample of LogGP. Give --ranks-per-node.")
        self.assertFalse(chromium.evaluate("document.getElementById('parameters').open"))
        self.assertEqual(self.count("#parameters tbody tr"), 4)
        self.assertIn("beyond 64 B2 us", self.text("#parameters"))
        self.show("lecture")
        self.assertTrue(chromium.evaluate("document.getElementById('parameters').hidden"), "where there is no table")
        self.assertIn("Hockney: alpha 10", self.text("#machine"))

    def test_the_theme_can_be_turned(self):
        self.show("lecture")
        chromium.evaluate("document.getElementById('theme').click()")
        self.assertEqual(chromium.evaluate("document.documentElement.dataset.theme"), "dark")
        self.assertGreaterEqual(self.painted("#by-size")[1], 6)

    def test_print_is_light_and_unfolded_and_leaves_the_page_as_it_was(self):
        self.show("lecture", **SHAPES["dark"])
        chromium.evaluate("addEventListener('beforeprint', () => { window.seen ="
                          " [document.documentElement.dataset.theme, document.querySelectorAll('details:not([open])').length]; })")
        chromium.paper(folder / "print.pdf")
        self.assertEqual(chromium.evaluate("window.seen"), ["light", 0])
        self.assertEqual(chromium.evaluate("document.documentElement.dataset.theme"), "dark")
        self.assertEqual(self.count("details[open]"), 0)
        self.assertGreater((folder / "print.pdf").stat().st_size, 50000)

    def test_what_lacks_is_left_out_and_what_is_too_much_is_thinned(self):
        self.show("empty")
        self.assertIn("no rows", self.text("#scope"))
        self.show("one_row")
        self.assertTrue(chromium.evaluate("document.getElementById('timeline').hidden"))
        self.assertGreater(self.painted("#race")[0], 1000)
        self.assertEqual(self.count("#by-ranks[hidden], #by-size[hidden]"), 2, "of one number there is no line")
        self.show("sparse")
        self.assertTrue(chromium.evaluate("document.getElementById('prediction').hidden"))
        self.show("measured_only")
        self.assertGreaterEqual(self.painted("#by-size")[1], 6)
        self.show("many")
        self.pick(time="simulated_us", ranks=80)
        self.assertEqual(self.count("#by-size .legend button"), 11, "the twelfth is for powers of two alone")
        self.assertIn("left out in places: ring", self.text("#by-size .text"))
        chart = "Chart.getChart(document.querySelector('#by-size canvas'))"
        forms = chromium.evaluate(f"{chart}.data.datasets.map(set => `${{set.borderDash}} ${{set.pointStyle}}`)")
        self.assertEqual(len(set(forms)), len(forms), "without colour too each line is told from the others")
        marks = chromium.evaluate(f"{chart}.getDatasetMeta(0).data.filter(point => point.options.radius > 0).length")
        self.assertGreater(marks, 20)
        self.assertLessEqual(self.count("#winners tbody tr"), 40)

    def test_names_stay_text(self):
        self.show("hostile")
        self.assertIsNone(chromium.evaluate("window.harmed ?? null"))
        self.assertEqual(self.count("img"), 0)
        self.assertIn("</script><script>", self.text("#by-size .legend"))


def main(program, artefacts):
    global chromium, sample, folder
    sample, folder = program, pathlib.Path(artefacts)
    folder.mkdir(parents=True, exist_ok=True)
    found = browser.find()
    if found is None:
        print(f"SKIPPED: the HTML report was NOT tested: none of {', '.join(browser.NAMES)} is installed.")
        return 77
    if subprocess.run([sample, "lecture"], stdout=subprocess.DEVNULL).returncode == 77:
        print("SKIPPED: the HTML report was NOT tested: this build has none, for want of Chart.js.")
        return 77
    with browser.Browser(found) as chromium:
        done = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Report))
    return 0 if done.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
