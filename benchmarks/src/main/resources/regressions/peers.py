"""Series and change points of other projects, for ./stillwater bench regressions.

peers.py generate PLAN SERIES       series of otava-test-data, one for each line of the plan
peers.py otava SERIES RESULTS       change points by Apache Otava
peers.py e-divisive SERIES RESULTS  change points by MongoDB's E-divisive

A line of a plan is: kind step_percent noise_percent begin end length seed. A line of series has the
values. A line of results has the microseconds and the indices of the change points.
"""

import sys
import time


def generated(kind, step, noise, begin, end, length, seed):
    from otava_test_data.generators import advanced, basic

    after = 100.0 * (1 + step / 100)
    if kind == "step":
        return basic.step_function(length, 100.0, after, begin, noise, seed)
    if kind == "recovery":
        return basic.regression_fix(length, 100.0, after, None, begin, end - begin, noise, seed)
    if kind == "unchanged":
        return basic.noise_normal(length, 100.0, noise, seed)
    if kind == "outliers":
        return advanced.multiple_outliers(length, 100.0, 150.0, None, 3, noise, seed)
    raise ValueError("no kind " + kind)


def generate(plan, out):
    for line in plan:
        kind, step, noise, begin, end, length, seed = line.split()
        series = generated(
            kind, float(step), float(noise), int(begin), int(end), int(length), int(seed))
        print(*[repr(float(value)) for value in series.data], file=out)


def otava():
    from otava.analysis import compute_change_points

    return lambda values: [point.index for point in compute_change_points(values)[0]]


def e_divisive():
    import numpy
    from signal_processing_algorithms.energy_statistics import energy_statistics

    if not energy_statistics.C_EXTENSION_LOADED:
        sys.exit("its C extension is missing, without which its times are not its own")
    numpy.random.seed(1)
    return lambda values: energy_statistics.e_divisive(values, pvalue=0.01, permutations=100)


def detect(detector, series, out):
    detector([100.0 + i % 7 for i in range(60)])
    for line in series:
        values = [float(value) for value in line.split()]
        begun = time.process_time()
        found = detector(values)
        micros = (time.process_time() - begun) * 1e6
        print("%.1f" % micros, *sorted(int(index) for index in found), file=out)


def main():
    verb, source, target = sys.argv[1:]
    with open(source, encoding="ascii") as lines, open(target, "w", encoding="ascii") as out:
        if verb == "generate":
            generate(lines, out)
        else:
            detect({"otava": otava, "e-divisive": e_divisive}[verb](), lines, out)


main()
