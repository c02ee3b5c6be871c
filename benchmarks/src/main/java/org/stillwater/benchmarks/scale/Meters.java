package org.stillwater.benchmarks.scale;

import java.util.HashMap;
import java.util.Map;

/**
 * One reading of an engine's meters in the Prometheus text format. Values of one name are summed
 * over their labels unless labels are requested.
 */
public final class Meters {

    private final Map<String, Double> samples = new HashMap<>();

    /** Reads an engine's meters. */
    public static Meters parse(String text) {
        Meters meters = new Meters();
        text.lines()
                .filter(line -> !line.isBlank() && line.charAt(0) != '#')
                .forEach(line -> {
                    int end = line.lastIndexOf('}') + 1;
                    int space = line.indexOf(' ', end);
                    meters.samples.put(
                            line.substring(0, space),
                            Double.parseDouble(line.substring(space + 1).split(" ")[0]));
                });
        return meters;
    }

    /** Sum of the samples of this name, over all labels; 0 if there is none. */
    public double sum(String name) {
        return sum(name, "");
    }

    /** Sum of the samples of this name that have this label, written {@code key="value"}. */
    public double sum(String name, String label) {
        double total = 0;
        for (Map.Entry<String, Double> sample : samples.entrySet()) {
            String key = sample.getKey();
            if ((key.equals(name) && label.isEmpty())
                    || (key.startsWith(name + "{") && key.contains(label))) {
                total += sample.getValue();
            }
        }
        return total;
    }

    /** Whether there is a sample of this name. */
    public boolean has(String name) {
        return samples.keySet().stream()
                .anyMatch(key -> key.equals(name) || key.startsWith(name + "{"));
    }
}
