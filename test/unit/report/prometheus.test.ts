import { gaugesText, labelsText, samplesIn } from "../../../src/report/prometheus";

const odd = 'a\\b "c"\nd{e="f"} 1';

it("writes what Prometheus reads: labels and help are escaped, a gauge without samples is left out", () => {
  const text = gaugesText([
    {
      name: "rnv_a",
      help: "One\\two\nthree.",
      samples: [
        { labels: { stage: odd, stack: undefined }, value: 1.5 },
        { labels: {}, value: 0 },
      ],
    },
    { name: "rnv_b", help: "None.", samples: [] },
  ]);
  expect(text).toBe(
    [
      "# HELP rnv_a One\\\\two\\nthree.",
      "# TYPE rnv_a gauge",
      'rnv_a{stage="a\\\\b \\"c\\"\\nd{e=\\"f\\"} 1"} 1.5',
      "rnv_a 0",
      "",
    ].join("\n"),
  );
  expect([...samplesIn(text, "rnv_a")]).toEqual([
    [labelsText({ stage: odd }), 1.5],
    ["", 0],
  ]);
});

it("reads no other metric, and nothing from what is no sample", () => {
  const text = 'rnv_a_total{x="1"} 3\n# rnv_a 4\nrnv_a five\nrnv_a{x="1"}\nrnv_a NaN\n';
  expect([...samplesIn(text, "rnv_a")]).toEqual([]);
});
